import { listFields } from '../../domain/contact/field.ts'
import { listContacts } from '../../domain/contact/queries.ts'
import type { Context } from '../../domain/context.ts'
import { contactStatuses } from '../../domain/invitation/statuses.ts'
import { sliceOf } from '../../lib/paging.ts'
import { contactView } from './contact-view.ts'
import type { Schemas } from './operation.ts'

/** What every list of contacts can be asked. */
export interface ContactQuery {
  offset?: number
  limit?: number
  search?: string
  survey?: number
  collector?: number
}

/** A list of contacts, of the whole address book or of a part of it, with their status where it is asked for. */
export async function contactPage(
  context: Context,
  { offset, limit, search, ...asked }: ContactQuery,
  part: { list?: number; email?: number } = {},
): Promise<Schemas['ContactPage']> {
  const slice = sliceOf({ offset, limit, default: 10, max: 200 })
  const { total, contacts } = await listContacts(context, { search, ...part }, slice)
  const statuses = await contactStatuses(
    context,
    asked,
    contacts.map(({ id }) => id),
  )
  return {
    custom: await listFields(context),
    contacts: contacts.map((contact) => contactView(context.services, contact, statuses?.get(contact.id))),
    start: slice.offset,
    total,
  }
}
