import type { SelectQueryBuilder } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { createContact, type NewContact } from './commands.ts'
import { assertList } from './lists.ts'

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
