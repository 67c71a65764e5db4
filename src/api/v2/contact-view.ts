import { listFields } from '../../domain/contact/fields.ts'
import type { ListSummary } from '../../domain/contact/lists.ts'
import type { ContactSelection } from '../../domain/contact/members.ts'
import { type ContactSummary, listContacts } from '../../domain/contact/queries.ts'
import type { Context } from '../../domain/context.ts'
import { type ContactStatus, contactStatuses } from '../../domain/invitation/queries.ts'
import { problems } from '../../domain/problem.ts'
import type { Services } from '../../domain/services.ts'
import { sliceOf } from '../../lib/paging.ts'
import { idsOf } from '../paging.ts'
import { contactListUri, contactUri, type Schemas } from './operation.ts'

/** The prefix of custom fields (docs/specification.md 8.1). */
export const CUSTOM_FIELD_PREFIX = 'custom_'

/**
 * Shows a contact (docs/specification.md 8.1).
 * @param status the status of the contact; absent if the client did not request it
 */
export const contactView = (
  services: Services,
  contact: ContactSummary,
  status?: ContactStatus,
): Schemas['Contact'] => ({
  id: contact.id,
  uri: contactUri(services, contact.id),
  name: contact.name,
  email: contact.email,
  unsubscribed: contact.unsubscribed,
  ...Object.fromEntries(Object.entries(contact.custom).map(([name, value]) => [CUSTOM_FIELD_PREFIX + name, value])),
  ...(status !== undefined && { status }),
})

/** Returns the custom fields of a body, by their names without prefix. */
export const customFieldsIn = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => name.startsWith(CUSTOM_FIELD_PREFIX))
      .map(([name, value]) => [name.slice(CUSTOM_FIELD_PREFIX.length), value]),
  )

/** Shows a contact list (docs/specification.md 8.4). */
export const contactListView = (services: Services, list: ListSummary): Schemas['ContactList'] => ({
  id: list.id,
  uri: contactListUri(services, list.id),
  contacts_uri: `${contactListUri(services, list.id)}contacts/`,
  name: list.name,
  contacts: list.contacts,
})

/** The query of a list of contacts. */
interface ContactQuery {
  offset?: number
  limit?: number
  search?: string
  survey?: number
  collector?: number
}

/** Returns a page of contacts. If the query names a survey or a collector, each contact includes its status there. */
export async function contactPage(
  context: Context,
  { offset, limit, search, ...statusQuery }: ContactQuery,
  filter: { list?: number; email?: number } = {},
): Promise<Schemas['ContactPage']> {
  const slice = sliceOf({ offset, limit, default: 10, max: 200 })
  const { total, contacts } = await listContacts(context, { search, ...filter }, slice)
  const statuses = await contactStatuses(
    context,
    statusQuery,
    contacts.map(({ id }) => id),
  )
  return {
    custom: await listFields(context),
    contacts: contacts.map((contact) => contactView(context.services, contact, statuses?.get(contact.id))),
    start: slice.offset,
    total,
  }
}

/**
 * Returns the contacts that the request body or the query selects. They are added to or removed from a contact list, or
 * become recipients of an email.
 * @throws {Problem} `invalid_request` if the request selects no contacts, has both `contacts` and `contact_list`, or
 *   has an invalid ID
 */
export function selectionOf({ contacts, contact_list: list }: Schemas['ContactRemoval']): ContactSelection {
  if (contacts !== undefined && list !== undefined)
    throw problems.invalidField('contact_list', 'mutually_exclusive', { other: 'contacts' })
  if (list !== undefined) return { list }
  return { ids: idsOf('contacts', contacts), field: 'contacts' }
}

/**
 * Returns the contacts to add: a new contact if the body has a name or an email address, otherwise the contacts that
 * {@link selectionOf} returns.
 */
export function additionOf(body: Schemas['ContactAddition']): ContactSelection {
  const { name, email } = body
  const creates = name !== undefined || email !== undefined
  if (!creates) return selectionOf(body)
  if (body.contacts !== undefined || body.contact_list !== undefined)
    throw problems.invalidField('name', 'mutually_exclusive', { other: 'contacts or contact_list' })
  return { create: { name: name ?? '', email: email ?? '', custom: customFieldsIn(body) }, prefix: CUSTOM_FIELD_PREFIX }
}
