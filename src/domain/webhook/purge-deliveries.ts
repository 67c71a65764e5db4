import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'

const RETENTION_MS = 30 * 86_400_000

/**
 * Deletes finished deliveries that are older than thirty days.
 * @returns the number of deleted deliveries
 */
export async function purgeDeliveries({ em, now }: PublicContext): Promise<number> {
  const { numDeletedRows } = await em
    .getKysely<Tables>()
    .deleteFrom('webhook_delivery')
    .where('created_at', '<', new Date(now.getTime() - RETENTION_MS).toISOString())
    .where('next_attempt_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
