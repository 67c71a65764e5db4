import { createContact, updateContact } from '../../../domain/contact/commands.ts'
import { listFields } from '../../../domain/contact/field.ts'
import { findContact } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { backTo } from '../../layout/back-link.ts'
import { alert, type Faults, faultsOf, field } from '../../forms/field.ts'
import { moment } from '../../layout/time-tag.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { customIn, customView } from './custom.ts'
import { BOOK } from './view.ts'

interface Refused {
  faults: Faults
  general: string | undefined
}

const typedIn = ({ form }: SignedIn) => ({
  name: one(form, 'name') ?? '',
  email: one(form, 'email') ?? '',
  custom: customIn(form),
})

const refusedBy = (visit: SignedIn, error: unknown): Refused =>
  faultsOf(visit.known(error), ['name', 'email', ...Object.keys(customIn(visit.form))])

export const showNewContact = (visit: SignedIn): Promise<Answer> => newPage(visit)

async function newPage(visit: SignedIn, refused?: Refused): Promise<Answer> {
  return visit.show(
    {
      title: 'Add a contact',
      above: backTo(BOOK, 'All contacts'),
      content: html`<section class="card" aria-label="Contact">${await formView(visit, `${BOOK}new/`, typedIn(visit), refused)}</section>`,
    },
    refused ? 422 : 200,
  )
}

export async function addContact(visit: SignedIn): Promise<Answer> {
  try {
    const { name } = await visit.write((context) => createContact(context, typedIn(visit)))
    visit.tell(`${name} is in your address book.`)
    return { redirect: BOOK }
  } catch (error) {
    return newPage(visit, refusedBy(visit, error))
  }
}

export const showContact = (visit: SignedIn): Promise<Answer> => contactPage(visit)

async function contactPage(visit: SignedIn, refused?: Refused): Promise<Answer> {
  const contact = await findContact(visit.context, idIn(visit.params.contact))
  const path = `${BOOK}${contact.id}/`
  return visit.show(
    {
      title: contact.name,
      above: backTo(BOOK, 'All contacts'),
      content: html`<section class="card" aria-label="Contact">${
        contact.unsubscribed && html`<p class="alert">This person wants no mail: invitations skip them.</p>`
      }${await formView(visit, path, refused ? typedIn(visit) : contact, refused)}</section>
<p class="soft">In your address book since ${moment(contact.createdAt)}. <a href="${path}delete/">Delete or erase…</a></p>`,
    },
    refused ? 422 : 200,
  )
}

export async function changeContact(visit: SignedIn): Promise<Answer> {
  const id = idIn(visit.params.contact)
  try {
    const { name } = await visit.write((context) => updateContact(context, id, typedIn(visit)))
    visit.tell(`${name} is saved.`)
    return { redirect: `${BOOK}${id}/` }
  } catch (error) {
    return contactPage(visit, refusedBy(visit, error))
  }
}

async function formView(
  { context, csrf, form }: SignedIn,
  action: string,
  { name, email, custom }: { name: string; email: string; custom: Readonly<Record<string, string>> },
  refused?: Refused,
) {
  const faults: Faults = refused?.faults ?? new Map()
  return html`${alert(refused?.general)}<form method="post" action="${action}">${csrfField(csrf)}
${field({ name: 'name', label: 'Name', value: name, required: true, faults })}
${field({ name: 'email', label: 'E-mail', type: 'email', value: email, required: true, faults })}
${customView(await listFields(context), custom, faults, refused ? form : {})}
<div class="actions"><button class="primary">Save</button><a class="button plain" href="${BOOK}">Cancel</a></div></form>`
}
