import { listFields } from '../../domain/contact/fields.ts'
import { listContacts } from '../../domain/contact/queries.ts'
import type { Context } from '../../domain/context.ts'
import { contactStatuses } from '../../domain/invitation/queries.ts'
import { sliceOf } from '../../lib/paging.ts'
import { contactView } from './contact-view.ts'
import type { Schemas } from './operation.ts'

/** The query of a list of contacts. */
export interface ContactQuery {
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
