import { createContact, updateContact } from '../../../domain/contact/commands.ts'
import { listFields } from '../../../domain/contact/field.ts'
import { findContact } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { backLink } from '../../layout/back-link.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { customIn, customView } from './custom.ts'
import { BOOK } from './view.ts'

interface Refused {
  errors: FieldErrorTexts
  general: string | undefined
}

const typedIn = ({ form }: SignedInRequest) => ({
  name: formValue(form, 'name') ?? '',
  email: formValue(form, 'email') ?? '',
  custom: customIn(form),
})

const refusedBy = (request: SignedInRequest, error: unknown): Refused =>
  fieldErrorsOf(request.toProblem(error), ['name', 'email', ...Object.keys(customIn(request.form))])

export const showNewContact = (request: SignedInRequest): Promise<PageResult> => newPage(request)

async function newPage(request: SignedInRequest, refused?: Refused): Promise<PageResult> {
  return request.render(
    {
      title: 'Add contact',
      beforeHeading: backLink(BOOK, 'All contacts'),
      content: html`<section class="card" aria-label="Contact">${await formView(request, `${BOOK}new/`, typedIn(request), refused)}</section>`,
    },
    refused ? 422 : 200,
  )
}

export async function addContact(request: SignedInRequest): Promise<PageResult> {
  try {
    const { name } = await request.write((context) => createContact(context, typedIn(request)))
    request.flash(`${name} added to your address book.`)
    return { redirect: BOOK }
  } catch (error) {
    return newPage(request, refusedBy(request, error))
  }
}

export const showContact = (request: SignedInRequest): Promise<PageResult> => contactPage(request)

async function contactPage(request: SignedInRequest, refused?: Refused): Promise<PageResult> {
  const contact = await findContact(request.context, parseId(request.params.contact))
  const path = `${BOOK}${contact.id}/`
  return request.render(
    {
      title: contact.name,
      beforeHeading: backLink(BOOK, 'All contacts'),
      content: html`<section class="card" aria-label="Contact">${
        contact.unsubscribed &&
        html`<p class="alert">This person has unsubscribed. Invitations are not sent to them.</p>`
      }${await formView(request, path, refused ? typedIn(request) : contact, refused)}</section>
<p class="soft">Added ${timeTag(contact.createdAt)}. <a href="${path}delete/">Delete or erase…</a></p>`,
    },
    refused ? 422 : 200,
  )
}

export async function changeContact(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.contact)
  try {
    const { name } = await request.write((context) => updateContact(context, id, typedIn(request)))
    request.flash(`${name} saved.`)
    return { redirect: `${BOOK}${id}/` }
  } catch (error) {
    return contactPage(request, refusedBy(request, error))
  }
}

async function formView(
  { context, csrf, form }: SignedInRequest,
  action: string,
  { name, email, custom }: { name: string; email: string; custom: Readonly<Record<string, string>> },
  refused?: Refused,
) {
  const errors: FieldErrorTexts = refused?.errors ?? new Map()
  return html`${alert(refused?.general)}<form method="post" action="${action}">${csrfField(csrf)}
${field({ name: 'name', label: 'Name', value: name, required: true, errors })}
${field({ name: 'email', label: 'Email', type: 'email', value: email, required: true, errors })}
${customView(await listFields(context), custom, errors, refused ? form : {})}
<div class="actions"><button class="primary">Save</button><a class="button plain" href="${BOOK}">Cancel</a></div></form>`
}
