import { sql } from 'kysely'
import type { Context, PublicContext } from '../context.ts'
import { DELETE_BATCH_ROWS } from '../delete-in-batches.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { baseMac, INSTALLATION, surveyChain } from './chain.ts'
import { recordSecurityEvent, type SecurityEventDetails, type SecurityEventKind } from './record.ts'

const DAY_MS = 86_400_000

/** An entry of the log. */
export interface SecurityEntry {
  /** The account of the chain; negative: the survey of the chain (`surveyChain`). */
  chain: number
  seq: number
  at: Date
  kind: SecurityEventKind
  details: SecurityEventDetails
  /** For example `203.0.113.0/24`. Empty if the entry was not caused by a request. */
  network: string
  /** The id of the account that acted; null if nobody signed in did. */
  by: number | null
}

/** Whose entries are read: those of a survey, of the installation, or of the account of the actor and all its surveys. */
export type LogName = Pick<ActivitySearch, 'survey' | 'isOfInstallation'>

/** Which entries to return. */
export interface ActivitySearch {
  /** Entries about this survey; absent: about the account of the actor and all its surveys. */
  survey?: number | undefined
  /** Entries about the installation and all accounts. */
  isOfInstallation?: boolean
  kind?: string | undefined
  /** Id of the account that acted. */
  by?: number | undefined
  since?: Date | undefined
  /** The first moment that is not included. */
  until?: Date | undefined
  /** Entries that are older than the one with this cursor. */
  cursor?: string | undefined
}

/** Who acted: the account that the entry names, or the account of the chain; null: nobody who is known. */
const BY = sql<
  number | null
>`case when details::jsonb->>'by' = '0' then null when details::jsonb->>'by' ~ '^[0-9]{1,18}$' then (details::jsonb->>'by')::bigint
  when account_id > 0 and kind not in ('sign_in_failed', 'locked_out') then account_id end`

/**
 * Returns entries of the log, newest first. The caller has checked that the actor owns the survey, or is an
 * administrator.
 * @returns `next`: the cursor of the following entries, if there are any
 * @throws {Problem} `invalid_request` for an invalid cursor
 */
export async function listActivity(
  context: Context,
  search: ActivitySearch,
  limit: number,
): Promise<{ entries: SecurityEntry[]; next: string | undefined }> {
  let query = logOf(context, search)
  const { kind, by, since, until, cursor } = search
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (by !== undefined) query = query.where(BY, '=', by)
  if (since) query = query.where('at', '>=', since.toISOString())
  if (until) query = query.where('at', '<', until.toISOString())
  if (cursor !== undefined) {
    const [at, chain, seq] = readCursor(cursor)
    query = query.where(sql<boolean>`(at, account_id, seq) < (${new Date(at)}::timestamptz, ${chain}, ${seq})`)
  }
  const rows = await query
    .select(['account_id', 'seq', 'at', 'kind', 'details', 'network', BY.as('by')])
    .orderBy('at', 'desc')
    .orderBy('account_id', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit + 1)
    .execute()
  const entries = rows.slice(0, limit).map(
    ({ account_id, seq, at, kind, details, network, by }): SecurityEntry => ({
      chain: account_id,
      seq,
      at: new Date(at),
      kind: kind as SecurityEventKind,
      details: JSON.parse(details) as SecurityEventDetails,
      network,
      by: by === null ? null : Number(by),
    }),
  )
  return { entries, next: rows.length > limit ? cursorOf(entries.at(-1)!) : undefined }
}

function logOf({ em, actor }: Context, { survey, isOfInstallation }: LogName) {
  const db = em.getKysely<Tables>()
  const log = db.selectFrom('security_event')
  if (isOfInstallation) return log.where('account_id', '=', INSTALLATION)
  if (survey !== undefined) return log.where('account_id', '=', surveyChain(survey))
  const surveys = db.selectFrom('survey').select(sql<number>`-id`.as('id')).where('owner_id', '=', actor.id)
  return log.where((eb) => eb.or([eb('account_id', '=', actor.id), eb('account_id', 'in', surveys)]))
}

/** Maximum number of people that {@link peopleInLog} returns. */
const MAX_PEOPLE = 100

/** Returns the ids of the accounts that acted. */
export async function peopleInLog(context: Context, log: LogName): Promise<number[]> {
  const rows = await logOf(context, log).select(BY.as('by')).distinct().limit(MAX_PEOPLE).execute()
  return rows.flatMap(({ by }) => (by === null ? [] : [Number(by)]))
}

const cursorOf = ({ at, chain, seq }: SecurityEntry): string =>
  Buffer.from(`${at.getTime()}.${chain}.${seq}`).toString('base64url')

function readCursor(cursor: string): [at: number, chain: number, seq: number] {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, at, chain, seq] = /^(\d{1,14})\.(-?\d{1,15})\.(\d{1,15})$/.exec(text) ?? []
  if (seq === undefined) throw problems.invalidField('cursor', 'invalid_cursor')
  return [Number(at), Number(chain), Number(seq)]
}

/**
 * Deletes entries older than `SECURITY_LOG_DAYS` and stores the new start of each chain.
 * @returns the number of deleted entries
 */
export async function purgeSecurityLog({ em, now, services }: PublicContext, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - services.securityLogDays * DAY_MS).toISOString()
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

/** Deletes the chain of a deleted survey, and records the deletion. Call it inside a transaction. */
export async function deleteActivity(context: PublicContext, surveyId: number): Promise<void> {
  await deleteSecurityLog(context, surveyChain(surveyId))
  await recordSecurityEvent(context, INSTALLATION, 'survey_deleted', { survey: surveyId })
}

/** Deletes a chain: the log of a deleted account. Call it inside a transaction. */
export async function deleteSecurityLog({ em }: PublicContext, accountId: number): Promise<void> {
  const db = em.getKysely<Tables>()
  await db.deleteFrom('security_event').where('account_id', '=', accountId).execute()
  await db.deleteFrom('security_chain').where('account_id', '=', accountId).execute()
}
