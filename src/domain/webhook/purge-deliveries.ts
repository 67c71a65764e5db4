import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'

const RETENTION_MS = 30 * 86_400_000

/**
 * Deletes deliveries that are older than thirty days, if they are finished or if their webhook no longer exists. A
 * delivery without a webhook remains if the webhook is deleted while the event is being stored.
 * @returns the number of deleted deliveries
 */
export async function purgeDeliveries({ em, now }: PublicContext): Promise<number> {
  const { numDeletedRows } = await em
    .getKysely<Tables>()
    .deleteFrom('webhook_delivery')
    .where('created_at', '<', new Date(now.getTime() - RETENTION_MS).toISOString())
    .where((eb) =>
      eb.or([
        eb('next_attempt_at', 'is', null),
        eb('webhook_id', 'not in', eb.selectFrom('webhook').select('webhook.id')),
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
