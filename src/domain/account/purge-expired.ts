import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { anyOfRows, DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'
import { ADMIN_KEY_NAME } from './commands.ts'
import { RESET_AFTER_SECONDS } from './login-throttle.ts'
import { IDLE_TIMEOUT_MS } from './session.ts'

/** How long revoked API keys are kept. */
const RETENTION_MS = 90 * 86_400_000

/** How long invitations of colleagues are kept after they expire. Their owner sees for so long what became of them. */
const INVITATION_RETENTION_MS = 30 * 86_400_000

/** How long the counts of sent messages are kept. */
const QUOTA_RETENTION_MS = 7 * 86_400_000

/**
 * Deletes expired sessions, one-time tokens, used tokens and invitations of colleagues, old counts of wrong passwords and sent messages, and API keys that were
 * revoked long ago. A revoked key of the setting `ADMIN_API_KEY` is kept: if it were deleted, the server would create
 * it again when it starts. Earlier versions stored this key without a name, so revoked keys without a name are kept
 * too.
 * @returns the number of deleted rows
 */
export async function purgeExpiredCredentials({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  const [idleBefore, resetBefore] = [before(IDLE_TIMEOUT_MS), before(RESET_AFTER_SECONDS * 1000)]
  // Rows of `sign_in_failure` are selected by ctid, because its primary key has two columns. A row that was updated in
  // the meantime has another ctid and is not deleted.
  const ctid = sql<string>`ctid`
  const sessions = db.selectFrom('session').select('id').where('seen_at', '<=', idleBefore).orderBy('seen_at')
  const tokens = db.selectFrom('account_link').select('hash').where('expires_at', '<=', before(0)).orderBy('expires_at')
  const failures = db.selectFrom('sign_in_failure').select(ctid.as('ctid')).where('at', '<=', resetBefore).orderBy('at')
  const revoked = db.selectFrom('api_key').select('id').where('revoked_at', '<=', before(RETENTION_MS))
  const quotas = db.deleteFrom('email_quota').where('day', '<', before(QUOTA_RETENTION_MS).slice(0, 10))
  const keys = revoked.where('name', 'not in', ['', ADMIN_KEY_NAME]).orderBy('revoked_at')
  const invitations = db
    .selectFrom('colleague_invitation')
    .select('id')
    .where('expires_at', '<=', before(INVITATION_RETENTION_MS))
    .orderBy('expires_at')
  const used = db.selectFrom('used_token').select('hash').where('expires_at', '<=', before(0)).orderBy('expires_at')
  const deletions = [
    db.deleteFrom('used_token').where('hash', '=', anyOfRows(used.limit(DELETE_BATCH_ROWS))),
    db.deleteFrom('colleague_invitation').where('id', '=', anyOfRows(invitations.limit(DELETE_BATCH_ROWS))),
    db.deleteFrom('session').where('id', '=', anyOfRows(sessions.limit(DELETE_BATCH_ROWS))),
    db.deleteFrom('account_link').where('hash', '=', anyOfRows(tokens.limit(DELETE_BATCH_ROWS))),
    db.deleteFrom('sign_in_failure').where(ctid, '=', anyOfRows(failures.limit(DELETE_BATCH_ROWS))),
    db.deleteFrom('api_key').where('id', '=', anyOfRows(keys.limit(DELETE_BATCH_ROWS))),
  ]
  let rows = Number((await quotas.executeTakeFirstOrThrow()).numDeletedRows)
  for (const deletion of deletions) rows += await deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
  return rows
}
