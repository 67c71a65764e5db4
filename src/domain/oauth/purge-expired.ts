import type { PublicContext } from '../context.ts'
import { anyOfRows, BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'

/** So long after its end something is still there, in milliseconds: the clocks of servers are never quite the same. */
const PURGE_MARGIN_MS = 3_600_000

/**
 * Forgets grants of which nothing works any longer (with their codes and tokens), and of all others the tokens whose
 * time is over. A used refresh token stays until then, for whoever brings it a second time ends its grant.
 * @returns how many rows, without the tokens of grants
 */
export async function purgeGrants({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const over = new Date(now.getTime() - PURGE_MARGIN_MS).toISOString()
  const grants = db.selectFrom('oauth_grant').select('id').where('ends_at', '<=', over).orderBy('ends_at')
  const tokens = db.selectFrom('oauth_token').select('hash').where('expires_at', '<=', over).orderBy('expires_at')
  const dead = db.deleteFrom('oauth_grant').where('id', '=', anyOfRows(grants.limit(BATCH_ROWS)))
  const worn = db.deleteFrom('oauth_token').where('hash', '=', anyOfRows(tokens.limit(BATCH_ROWS)))
  return (
    (await deleteInBatches(signal, () => dead.executeTakeFirstOrThrow())) +
    (await deleteInBatches(signal, () => worn.executeTakeFirstOrThrow()))
  )
}
