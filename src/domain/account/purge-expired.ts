import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { anyOfRows, BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'
import { RESET_AFTER_SECONDS } from './login-throttle.ts'
import { IDLE_TIMEOUT_MS } from './session.ts'
import { ADMIN_KEY_NAME } from './upsert-admin.ts'

/** How long it can be looked up that a key was revoked, in milliseconds. */
const RETENTION_MS = 90 * 86_400_000

/** How long the number of messages of a day is kept, in milliseconds. */
const QUOTA_KEPT_MS = 7 * 86_400_000

/**
 * Forgets what lets nobody in any more: sessions, links, counts of wrong passwords, revoked keys. A session that is too
 * old is also one that has not been used for long. A key of the settings that was revoked
 * stays, or the next start would bring it back; earlier versions kept those without a name.
 * @returns how many rows
 */
export async function purgeExpiredCredentials({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  const [unused, forgotten] = [before(IDLE_TIMEOUT_MS), before(RESET_AFTER_SECONDS * 1000)]
  // Where the row lies, for its key has two parts. A row that is counted in meanwhile lies elsewhere then, and stays.
  const place = sql<string>`ctid`
  const sessions = db.selectFrom('session').select('id').where('seen_at', '<=', unused).orderBy('seen_at')
  const links = db.selectFrom('account_link').select('hash').where('expires_at', '<=', before(0)).orderBy('expires_at')
  const tries = db.selectFrom('sign_in_failure').select(place.as('place')).where('at', '<=', forgotten).orderBy('at')
  const revoked = db.selectFrom('api_key').select('id').where('revoked_at', '<=', before(RETENTION_MS))
  const quotas = db.deleteFrom('email_quota').where('day', '<', before(QUOTA_KEPT_MS).slice(0, 10))
  const keys = revoked.where('name', 'not in', ['', ADMIN_KEY_NAME]).orderBy('revoked_at')
  const deletions = [
    db.deleteFrom('session').where('id', '=', anyOfRows(sessions.limit(BATCH_ROWS))),
    db.deleteFrom('account_link').where('hash', '=', anyOfRows(links.limit(BATCH_ROWS))),
    db.deleteFrom('sign_in_failure').where(place, '=', anyOfRows(tries.limit(BATCH_ROWS))),
    db.deleteFrom('api_key').where('id', '=', anyOfRows(keys.limit(BATCH_ROWS))),
  ]
  let rows = Number((await quotas.executeTakeFirstOrThrow()).numDeletedRows)
  for (const deletion of deletions) rows += await deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
  return rows
}
