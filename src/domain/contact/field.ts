import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

/**
 * Maximum number of custom fields of an address book. There is a limit because every contact can have a value for each
 * custom field, and every export has a column for each.
 */
const MAX_FIELDS = 250

/** Returns the names of all custom fields in the actor's address book, in order of first use. */
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
 * Creates the custom fields that do not exist yet. The names are inserted in alphabetical order to prevent deadlocks
 * between two transactions.
 * @throws {Problem} `invalid_request` for too many custom fields
 */
export async function createMissingFields(context: Context, names: readonly string[]): Promise<void> {
  if (!names.length) return
  const existing = new Set(await listFields(context))
  const missing = names.filter((name) => !existing.has(name)).sort()
  if (!missing.length) return
  if (existing.size + missing.length > MAX_FIELDS)
    throw problems.invalidField(
      missing[0]!,
      'limit_reached',
      { max: MAX_FIELDS },
      detail('custom_fields', { max: MAX_FIELDS }),
    )
  await context.em
    .getKysely<Tables>()
    .insertInto('contact_field')
    .values(missing.map((name) => ({ owner_id: context.actor.id, name })))
    .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing())
    .execute()
}
