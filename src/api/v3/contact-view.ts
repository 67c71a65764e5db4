import type { Bounce } from '../../domain/contact/bounced-address.ts'
import type { Receipt } from '../../domain/contact/erase.ts'
import type { ListSummary } from '../../domain/contact/lists.ts'
import type { ContactSummary } from '../../domain/contact/queries.ts'
import type { Services } from '../../domain/services.ts'
import type { Schemas } from './operation.ts'
import { contactListUri, contactUri } from './urls.ts'

/** Shows a contact (docs/specification.md 8.1). Custom fields are members of the same object as the fixed fields. */
export const contactView = (services: Services, contact: ContactSummary): Schemas['Contact'] => ({
  id: contact.id,
  contact_uri: contactUri(services, contact.id),
  name: contact.name,
  email: contact.email,
  unsubscribed: contact.unsubscribed,
  ...contact.custom,
})

/** Shows a contact of a list in the reply to a request that adds contacts to the list. */
export const memberView = ({ id, name, email }: ContactSummary): Schemas['Member'] => ({ id, name, email })

/** Shows a contact list (docs/specification.md 8.4). */
export const contactListView = (services: Services, list: ListSummary): Schemas['ContactList'] => ({
  id: list.id,
  name: list.name,
  color: list.color,
  contacts_uri: `${contactListUri(services, list.id)}contacts/`,
  contacts: list.contacts,
})

export const contactBounceView = (bounce: Bounce | undefined): Schemas['ContactBounce'] => ({
  bounced_at: bounce?.bouncedAt.toISOString() ?? null,
  reason: bounce?.reason ?? null,
})

export const erasureView = (receipt: Receipt): Schemas['Erasure'] => ({
  erased_at: receipt.erasedAt.toISOString(),
  contact_id: receipt.contactId,
  contact: receipt.contact,
  responses: receipt.responses,
  invites: receipt.invites,
  messages: receipt.messages,
  webhook_deliveries: receipt.deliveries,
  development_mails: receipt.devEmails,
})
