import type { PublicContext } from '../context.ts'
import { anyOfRows, DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'

/** Rows are kept this long after their expiry, because the clocks of servers differ. */
const PURGE_MARGIN_MS = 3_600_000

/**
 * Deletes expired grants with their codes and tokens, and expired tokens of other grants. A used refresh token is kept
 * until it expires, because a second use of it revokes the grant.
 * @returns the number of deleted grants and tokens, without rows deleted by cascade
 */
export async function purgeGrants({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const before = new Date(now.getTime() - PURGE_MARGIN_MS).toISOString()
  const grants = db.selectFrom('oauth_grant').select('id').where('ends_at', '<=', before).orderBy('ends_at')
  const tokens = db.selectFrom('oauth_token').select('hash').where('expires_at', '<=', before).orderBy('expires_at')
  const grantDeletion = db.deleteFrom('oauth_grant').where('id', '=', anyOfRows(grants.limit(DELETE_BATCH_ROWS)))
  const tokenDeletion = db.deleteFrom('oauth_token').where('hash', '=', anyOfRows(tokens.limit(DELETE_BATCH_ROWS)))
  return (
    (await deleteInBatches(signal, () => grantDeletion.executeTakeFirstOrThrow())) +
    (await deleteInBatches(signal, () => tokenDeletion.executeTakeFirstOrThrow()))
  )
}
