import { sql } from 'kysely'
import { digest, seal, unseal } from '../lib/secrets.ts'
import type { PublicContext } from './context.ts'
import { anyOfRows, DELETE_BATCH_ROWS, deleteInBatches } from './delete-in-batches.ts'
import type { Tables } from './tables.ts'

/** How long a reply is kept for requests with the same key. */
const RETENTION_MS = 24 * 3_600_000
const PURPOSE = 'idempotent reply'

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** Absent for a request without authentication. */
  accountId: number | undefined
  /** The operation and the key. */
  name: string
  /** Everything that a repeated request must have in common with the first one. */
  content: string
}

/** A reply as it was sent. */
export interface KeptReply {
  status: number
  headers: Readonly<Record<string, string | string[]>>
  body: string
}

type KeyState = 'new' | 'in_progress' | 'reused' | KeptReply

const identityOf = ({ services }: PublicContext, { accountId, name }: KeyedRequest) =>
  digest(services.secretKey, JSON.stringify([PURPOSE, accountId ?? null, name]))
const fingerprintOf = ({ services }: PublicContext, { content }: KeyedRequest) =>
  digest(services.secretKey, JSON.stringify([PURPOSE, content]))

/**
 * Locks the key of a request until the end of the transaction, and looks up the stored reply (docs/decisions.md 2.15).
 * @returns `new` if the key is unknown or expired; `in_progress` while another request with the key runs, on any
 *   server; `reused` if the first request had different content; otherwise the reply to the first request
 */
export async function lockKey(context: PublicContext, request: KeyedRequest): Promise<KeyState> {
  const db = context.em.getKysely<Tables>()
  const id = identityOf(context, request)
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${id.readBigInt64BE().toString()}::bigint) as locked`.execute(db)
  if (!rows[0]!.locked) return 'in_progress'
  const kept = await db
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'sealed'])
    .where('id', '=', id)
    .where('created_at', '>', new Date(context.now.getTime() - RETENTION_MS).toISOString())
    .executeTakeFirst()
  if (!kept) return 'new'
  if (!kept.fingerprint.equals(fingerprintOf(context, request))) return 'reused'
  const reply = unseal(context.services.secretKey, PURPOSE, kept.sealed)
  return reply === undefined ? 'new' : (JSON.parse(reply) as KeptReply)
}

/** Keeps the reply to a request, encrypted because it can hold secrets and personal data. */
export async function keepReply(context: PublicContext, request: KeyedRequest, reply: KeptReply): Promise<void> {
  const row = {
    fingerprint: fingerprintOf(context, request),
    sealed: seal(context.services.secretKey, PURPOSE, JSON.stringify(reply)),
    created_at: context.now,
  }
  await context.em
    .getKysely<Tables>()
    .insertInto('idempotency_key')
    .values({ id: identityOf(context, request), account_id: request.accountId ?? null, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

/**
 * Deletes expired replies.
 * @returns the number of deleted rows
 */
export async function purgeIdempotencyKeys({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const before = new Date(now.getTime() - RETENTION_MS).toISOString()
  const expired = db.selectFrom('idempotency_key').select('id').where('created_at', '<=', before).orderBy('created_at')
  const deletion = db.deleteFrom('idempotency_key').where('id', '=', anyOfRows(expired.limit(DELETE_BATCH_ROWS)))
  return deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
}
