import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import { hasField } from '../webhook-form.ts'

/**
 * Deletes those messages to the actor's webhooks, delivered or pending, in which a field or an answer is a person's
 * email address, regardless of case. Call it inside a transaction.
 * @returns the number of deleted messages
 */
export async function eraseDeliveriesAbout({ em, actor }: Context, email: string): Promise<number> {
  const { numDeletedRows } = await em
    .getKysely<Tables>()
    .deleteFrom('webhook_delivery')
    .where('webhook_id', 'in', (eb) => eb.selectFrom('webhook').select('id').where('account_id', '=', actor.id))
    .where((eb) =>
      eb.or([hasField(email, 'whole'), sql<boolean>`strpos(lower(facts::text), lower(${JSON.stringify(email)})) > 0`]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
