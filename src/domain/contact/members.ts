import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { type Choice, chooseContacts } from './choice.ts'
import type { Contact } from './contact.ts'
import { findList } from './lists.ts'
import { findContact } from './queries.ts'

/**
 * Puts contacts into a list, all that are named or none; one that is in it already stays, once.
 * @returns how many are in it that were not before
 * @throws {Problem} `contact_list_not_found`, and as `chooseContacts` does
 */
export async function addMembers(context: Context, listId: number, choice: Choice): Promise<number> {
  await findList(context, listId)
  const chosen = await chooseContacts(context, choice)
  const { numInsertedOrUpdatedRows: added } = await context.em
    .getKysely<Tables>()
    .insertInto('contact_list_member')
    .columns(['list_id', 'contact_id'])
    .expression(chosen.clearSelect().select([sql<number>`${listId}::bigint`.as('list_id'), 'contact.id']))
    .onConflict((conflict) => conflict.columns(['list_id', 'contact_id']).doNothing())
    .executeTakeFirstOrThrow()
  return Number(added ?? 0)
}

/** One contact of a list. @throws {Problem} `contact_list_not_found`, `contact_not_found` also where it is not in the list */
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

/** Takes one contact out of a list; it stays in the address book. @throws {Problem} as {@link findMember} */
export async function removeMember(context: Context, listId: number, contactId: number): Promise<void> {
  await findMember(context, listId, contactId)
  await removeMembers(context, listId, { ids: [contactId], field: 'contact_id' })
}

/**
 * Takes contacts out of a list; they stay in the address book. One that is not in the list may be named too.
 * @throws {Problem} `contact_list_not_found`, and as `chooseContacts` does
 */
export async function removeMembers(context: Context, listId: number, choice: Choice): Promise<void> {
  await findList(context, listId)
  const chosen = await chooseContacts(context, choice)
  await context.em
    .getKysely<Tables>()
    .deleteFrom('contact_list_member')
    .where('list_id', '=', listId)
    .where('contact_id', 'in', chosen)
    .execute()
}
