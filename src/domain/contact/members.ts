import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Contact } from './contact.ts'
import { findList } from './lists.ts'
import { findContact } from './queries.ts'
import { type ContactSelection, selectContacts } from './selection.ts'

/**
 * Adds contacts to a list: all of them or none. Contacts that are members already are ignored.
 * @returns the number of added members
 * @throws {Problem} `contact_list_not_found`, and as `selectContacts` does
 */
export async function addMembers(context: Context, listId: number, selection: ContactSelection): Promise<number> {
  await findList(context, listId)
  const selected = await selectContacts(context, selection)
  const { numInsertedOrUpdatedRows: added } = await context.em
    .getKysely<Tables>()
    .insertInto('contact_list_member')
    .columns(['list_id', 'contact_id'])
    .expression(selected.clearSelect().select([sql<number>`${listId}::bigint`.as('list_id'), 'contact.id']))
    .onConflict((conflict) => conflict.columns(['list_id', 'contact_id']).doNothing())
    .executeTakeFirstOrThrow()
  return Number(added ?? 0)
}

/**
 * Returns one member of a list.
 * @throws {Problem} `contact_list_not_found`; `contact_not_found` if the contact does not exist or is not a member
 */
export async function findMember(context: Context, listId: number, contactId: number): Promise<Contact> {
  await findList(context, listId)
  const contact = await findContact(context, contactId)
  const member = await context.em
    .getKysely<Tables>()
    .selectFrom('contact_list_member')
    .select('contact_id')
    .where('list_id', '=', listId)
    .where('contact_id', '=', contactId)
    .executeTakeFirst()
  if (!member) throw problems.contactNotFound()
  return contact
}

/**
 * Removes one contact from a list; the contact itself remains.
 * @throws {Problem} as {@link findMember}
 */
export async function removeMember(context: Context, listId: number, contactId: number): Promise<void> {
  await findMember(context, listId, contactId)
  await removeMembers(context, listId, { ids: [contactId], field: 'contact_id' })
}

/**
 * Removes contacts from a list; the contacts themselves remain. Contacts that are not members are ignored.
 * @throws {Problem} `contact_list_not_found`, and as `selectContacts` does
 */
export async function removeMembers(context: Context, listId: number, selection: ContactSelection): Promise<void> {
  await findList(context, listId)
  const selected = await selectContacts(context, selection)
  await context.em
    .getKysely<Tables>()
    .deleteFrom('contact_list_member')
    .where('list_id', '=', listId)
    .where('contact_id', 'in', selected)
    .execute()
}
