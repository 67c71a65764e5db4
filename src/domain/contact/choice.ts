import type { SelectQueryBuilder } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { createContact, type NewContact } from './commands.ts'
import { assertList } from './lists.ts'

/** Contacts that a caller names in one of three ways. */
export type Choice =
  /** @property field what the caller gave the ids in, for naming unknown ones */
  | { ids: readonly number[]; field: string }
  | { list: number }
  /** @property prefix what stands before the names of custom fields where the caller reads the faults */
  | { create: NewContact; prefix?: string }

/** A query of contact ids, to insert from: a large list need not be read. */
export type ChosenIds = SelectQueryBuilder<Tables, 'contact', { id: number }>

/**
 * The contacts that a caller names, all of them the actor's. One that is given by its members is created.
 * @throws {Problem} `contact_not_found` naming every unknown id, `contact_list_not_found`; as `createContact` does
 */
export async function chooseContacts(context: Context, choice: Choice): Promise<ChosenIds> {
  if ('create' in choice) return byIds(context, [(await createContact(context, choice.create, choice.prefix)).id])
  if ('ids' in choice) return knownIds(context, choice)
  await assertList(context, choice.list)
  const members = context.em
    .getKysely<Tables>()
    .selectFrom('contact_list_member')
    .select('contact_id')
    .where('list_id', '=', choice.list)
  return owned(context).where('contact.id', 'in', members)
}

const owned = ({ em, actor }: Context) =>
  em.getKysely<Tables>().selectFrom('contact').select('contact.id').where('contact.owner_id', '=', actor.id)

const byIds = (context: Context, ids: readonly number[]): ChosenIds =>
  owned(context).where((eb) => eb('contact.id', '=', eb.fn.any(eb.val([...ids]))))

async function knownIds(context: Context, { ids, field }: Extract<Choice, { ids: unknown }>): Promise<ChosenIds> {
  if (!ids.length) throw problems.invalidField(field, 'missing_parameter', {}, 'must have at least one contact')
  const query = byIds(context, ids)
  const found = new Set((await query.execute()).map(({ id }) => id))
  const unknown = [...new Set(ids)].filter((id) => !found.has(id))
  if (unknown.length) throw problems.contactsNotFound(field, unknown)
  return query
}
