import { sql } from 'kysely'
import type { Slice } from '../../lib/paging.ts'
import type { Context, PublicContext } from '../context.ts'
import { DELETE_BATCH_ROWS } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'
import { baseMac } from './chain.ts'
import type { SecurityEventDetails, SecurityEventKind } from './record.ts'

/** How long entries are kept. */
export const SECURITY_LOG_DAYS = 365
const DAY_MS = 86_400_000

/** An entry of the security log, as its account sees it. */
export interface SecurityEntry {
  seq: number
  at: Date
  kind: SecurityEventKind
  details: SecurityEventDetails
  /** For example `203.0.113.0/24`. Empty if the entry was not caused by a request. */
  network: string
}

/** Returns the security log of the actor, newest entries first, with the total number. */
export async function listSecurityEvents(
  { em, actor }: Context,
  { offset, limit }: Slice,
): Promise<{ total: number; entries: SecurityEntry[] }> {
  const own = em.getKysely<Tables>().selectFrom('security_event').where('account_id', '=', actor.id)
  const { total } = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await own
    .select(['seq', 'at', 'kind', 'details', 'network'])
    .orderBy('seq', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  const entries = rows.map((row) => ({
    ...row,
    kind: row.kind as SecurityEventKind,
    at: new Date(row.at),
    details: JSON.parse(row.details) as SecurityEventDetails,
  }))
  return { total, entries }
}

/**
 * Deletes entries older than {@link SECURITY_LOG_DAYS} and stores the new start of each chain.
 * @returns the number of deleted entries
 */
export async function purgeSecurityLog({ em, now, services }: PublicContext, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - SECURITY_LOG_DAYS * DAY_MS).toISOString()
  const { rows } = await sql<{ account_id: number }>`select distinct account_id from security_event
    where at < ${before}::timestamptz limit ${DELETE_BATCH_ROWS}`.execute(em.getKysely())
  let removed = 0
  for (const { account_id: id } of rows) {
    if (signal.aborted) break
    removed += await em.fork().transactional(async (inner) => {
      const db = inner.getKysely<Tables>()
      await db.selectFrom('security_chain').select('seq').where('account_id', '=', id).forUpdate().execute()
      const last = await db
        .selectFrom('security_event')
        .select(['seq', 'hash'])
        .where('account_id', '=', id)
        .where('at', '<', before)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (!last) return 0
      const { numDeletedRows } = await db
        .deleteFrom('security_event')
        .where('account_id', '=', id)
        .where('seq', '<=', last.seq)
        .executeTakeFirstOrThrow()
      const base_mac = baseMac(services.secretKey, id, last.seq, last.hash)
      await db
        .updateTable('security_chain')
        .set({ base_seq: last.seq, base_hash: last.hash, base_mac })
        .where('account_id', '=', id)
        .execute()
      return Number(numDeletedRows)
    })
  }
  return removed
}

/** Deletes the security log of a deleted account. Call it inside a transaction. */
export async function deleteSecurityLog({ em }: PublicContext, accountId: number): Promise<void> {
  const db = em.getKysely<Tables>()
  await db.deleteFrom('security_event').where('account_id', '=', accountId).execute()
  await db.deleteFrom('security_chain').where('account_id', '=', accountId).execute()
}
