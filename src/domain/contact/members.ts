import { type SelectQueryBuilder, sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { createContact, type NewContact } from './commands.ts'
import type { Contact } from './contact.ts'
import { assertList, findList } from './lists.ts'
import { findContact } from './queries.ts'

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

/** A selection of contacts: by ID, by contact list, or one contact to create. */
export type ContactSelection =
  /** @property field the request field that holds the IDs, for errors */
  | { ids: readonly number[]; field: string }
  | { list: number }
  /** @property prefix precedes the names of custom fields in errors */
  | { create: NewContact; prefix?: string }

/** A query of contact IDs that an `INSERT` statement selects from, so that a large list is not read into memory. */
export type SelectedIds = SelectQueryBuilder<Tables, 'contact', { id: number }>

/**
 * Returns a query of the selected contacts of the actor. If the selection is a new contact, creates the contact.
 * @throws {Problem} `contact_not_found` naming every unknown ID, `contact_list_not_found`; as `createContact` does
 */
export async function selectContacts(context: Context, selection: ContactSelection): Promise<SelectedIds> {
  if ('create' in selection)
    return byIds(context, [(await createContact(context, selection.create, selection.prefix)).id])
  if ('ids' in selection) return knownIds(context, selection)
  await assertList(context, selection.list)
  const members = context.em
    .getKysely<Tables>()
    .selectFrom('contact_list_member')
    .select('contact_id')
    .where('list_id', '=', selection.list)
  return owned(context).where('contact.id', 'in', members)
}

const owned = ({ em, actor }: Context) =>
  em.getKysely<Tables>().selectFrom('contact').select('contact.id').where('contact.owner_id', '=', actor.id)

const byIds = (context: Context, ids: readonly number[]): SelectedIds =>
  owned(context).where((eb) => eb('contact.id', '=', eb.fn.any(eb.val([...ids]))))

async function knownIds(
  context: Context,
  { ids, field }: Extract<ContactSelection, { ids: unknown }>,
): Promise<SelectedIds> {
  if (!ids.length) throw problems.invalidField(field, 'missing_parameter', {}, 'must have at least one contact')
  const query = byIds(context, ids)
  const found = new Set((await query.execute()).map(({ id }) => id))
  const unknown = [...new Set(ids)].filter((id) => !found.has(id))
  if (unknown.length) throw problems.contactsNotFound(field, unknown)
  return query
}
