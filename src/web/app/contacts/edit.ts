import { findBounce, forgetBounce } from '../../../domain/contact/bounced-address.ts'
import { createContact, updateContact } from '../../../domain/contact/commands.ts'
import { listFields } from '../../../domain/contact/fields.ts'
import { findContact } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { customFieldsView, readCustomFields } from './custom-fields.ts'
import { CONTACTS_PATH } from './view.ts'

const readForm = ({ form }: SignedInRequest) => ({
  name: formValue(form, 'name') ?? '',
  email: formValue(form, 'email') ?? '',
  custom: readCustomFields(form),
})

const formErrors = (request: SignedInRequest, error: unknown): FormErrors =>
  fieldErrorsOf(request.toProblem(error), ['name', 'email', ...Object.keys(readCustomFields(request.form))])

export const showNewContact = (request: SignedInRequest): Promise<PageResult> => newContactPage(request)

async function newContactPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  return request.render(
    {
      title: t('Add contact'),
      beforeHeading: backLink(CONTACTS_PATH, t('All contacts')),
      content: html`<section class="card" aria-label="Contact">${await formView(request, `${CONTACTS_PATH}new/`, readForm(request), rejected)}</section>`,
    },
    rejected ? 422 : 200,
  )
}

export async function addContact(request: SignedInRequest): Promise<PageResult> {
  try {
    const { name } = await request.write((context) => createContact(context, readForm(request)))
    request.flash(t('{name} added to your address book.', { name }))
    return { redirect: CONTACTS_PATH }
  } catch (error) {
    return newContactPage(request, formErrors(request, error))
  }
}

export const showContact = (request: SignedInRequest): Promise<PageResult> => contactPage(request)

async function contactPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const contact = await findContact(request.context, parseId(request.params.contact))
  const bounce = await findBounce(request.context, contact.id)
  const path = `${CONTACTS_PATH}${contact.id}/`
  return request.render(
    {
      title: contact.name,
      beforeHeading: backLink(CONTACTS_PATH, t('All contacts')),
      content: html`<section class="card" aria-label="Contact">${
        contact.unsubscribed &&
        html`<p class="alert">This person has unsubscribed. Invitations are not sent to them.</p>`
      }${
        bounce &&
        html`<form method="post" action="${path}allow/" class="alert">${csrfField(request.csrf)}<p>Mail to this address came back ${timeTag(bounce.bouncedAt)}: ${bounce.reason}</p><p>Invitations are not sent to it.</p><button class="small">Send invitations to it again</button></form>`
      }${await formView(request, path, rejected ? readForm(request) : contact, rejected)}</section>
<p class="soft">Added ${timeTag(contact.createdAt)}. <a class="danger" href="${path}delete/">Delete the contact or erase personal data…</a></p>`,
    },
    rejected ? 422 : 200,
  )
}

export async function changeContact(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.contact)
  try {
    const { name } = await request.write((context) => updateContact(context, id, readForm(request)))
    request.flash(t('{name} saved.', { name }))
    return { redirect: `${CONTACTS_PATH}${id}/` }
  } catch (error) {
    return contactPage(request, formErrors(request, error))
  }
}

/** Permits mail to the address of a contact from which mail came back. */
export async function allowMail(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.contact)
  await request.write((context) => forgetBounce(context, id))
  return { redirect: `${CONTACTS_PATH}${id}/` }
}

async function formView(
  { context, csrf, form }: SignedInRequest,
  action: string,
  { name, email, custom }: { name: string; email: string; custom: Readonly<Record<string, string>> },
  rejected?: FormErrors,
) {
  const errors: FieldErrorTexts = rejected?.errors ?? new Map()
  return html`${alert(rejected?.general)}<form method="post" action="${action}">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: name, required: true, errors })}
${field({ name: 'email', label: t('Email address'), type: 'email', value: email, required: true, errors })}
${customFieldsView(await listFields(context), custom, errors, rejected ? form : {})}
<div class="actions"><button class="primary">Save</button><a class="button plain" href="${CONTACTS_PATH}">Cancel</a></div></form>`
}
