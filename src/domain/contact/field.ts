import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

/** Custom fields of one address book, at most: each is a member of contacts and a column of exports. */
const MAX_FIELDS = 250

/** The names of all custom fields of the actor's address book, in the order in which they were first used. */
export async function listFields({ em, actor }: Context): Promise<string[]> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('contact_field')
    .select('name')
    .where('owner_id', '=', actor.id)
    .orderBy('id')
    .execute()
  return rows.map(({ name }) => name)
}

/**
 * Makes those custom fields that are not there yet. Their names are put in in order, so that two writers never wait for
 * each other crosswise.
 * @throws {Problem} `invalid_request` when there would be too many
 */
export async function keepFields(context: Context, names: readonly string[]): Promise<void> {
  if (!names.length) return
  const known = new Set(await listFields(context))
  const fresh = names.filter((name) => !known.has(name)).sort()
  if (!fresh.length) return
  if (known.size + fresh.length > MAX_FIELDS)
    throw problems.invalidField(
      fresh[0]!,
      'limit_reached',
      { max: MAX_FIELDS },
      `you can have at most ${MAX_FIELDS} custom fields`,
    )
  await context.em
    .getKysely<Tables>()
    .insertInto('contact_field')
    .values(fresh.map((name) => ({ owner_id: context.actor.id, name })))
    .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing())
    .execute()
}
