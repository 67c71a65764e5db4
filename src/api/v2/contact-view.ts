import type { ListSummary } from '../../domain/contact/lists.ts'
import type { ContactSummary } from '../../domain/contact/queries.ts'
import type { ContactStatus } from '../../domain/invitation/queries.ts'
import type { Services } from '../../domain/services.ts'
import type { Schemas } from './operation.ts'
import { contactListUri, contactUri } from './urls.ts'

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
