import { type Kysely, sql } from 'kysely'
import type { Slice } from '../../../lib/paging.ts'
import type { Context, PublicContext } from '../../context.ts'
import { DELETE_BATCH_ROWS } from '../../delete-in-batches.ts'
import { problems } from '../../problem.ts'
import { recordActivity } from '../../security/record.ts'
import { appendChanges, type ChangedResponse, lockFeed } from '../../survey/feed.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { TRASH_DAYS } from '../../survey/trash.ts'
import { ACROSS_SURVEYS, type Tables } from '../../tables.ts'
import { type StoredResponse, withCurrentPositions } from '../filter/where.ts'
import { noteChange } from './coding-change.ts'
import { REVISION } from './history.ts'

const DAY_MS = 86_400_000

/** A response in the trash. */
export interface DeletedResponse {
  row: StoredResponse
  deletedAt: Date
  /** Account that deleted it; null: the account no longer exists. */
  deletedBy: { id: number; username: string } | null
  reason: string | null
  /** When it is erased. */
  erasedAt: Date
}

const inTrash = (surveyId: number) =>
  sql<boolean>`revision.survey_id = ${surveyId} and revision.kind = ${REVISION.deleted} and revision.before is not null`

/**
 * Lists the responses in the trash of a survey, the last deleted first.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listTrash(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ snapshot: SurveySnapshot; total: number; responses: DeletedResponse[] }> {
  const snapshot = await findSnapshot(context, surveyId, 'View')
  const db = context.em.getKysely<Tables>()
  const { rows } = await sql<{
    before: { row: Omit<StoredResponse, 'key'> & { key: string } }
    at: string
    account_id: number | null
    username: string | null
    reason: string | null
  }>`select revision.before, revision.at, account.id as account_id, account.username, revision.reason
    from response_revision revision left join account on account.id = revision.account_id
    where ${inTrash(surveyId)} order by revision.id desc limit ${limit} offset ${offset}`.execute(db)
  const { rows: counted } = await sql<{
    total: number
  }>`select count(*)::integer as total from response_revision revision where ${inTrash(surveyId)}`.execute(db)
  const stored = rows.map(({ before: { row } }) => ({ ...row, key: Buffer.from(row.key.slice(2), 'hex') }))
  const responses = withCurrentPositions(snapshot, stored).map((row, index) => {
    const { at, account_id, username, reason } = rows[index]!
    const deletedAt = new Date(at)
    return {
      row,
      deletedAt,
      deletedBy: account_id === null ? null : { id: account_id, username: username! },
      reason,
      erasedAt: new Date(deletedAt.getTime() + TRASH_DAYS * DAY_MS),
    }
  })
  return { snapshot, total: counted[0]!.total, responses }
}

/**
 * Restores a response from the trash, with its id, number, key and files. It counts towards its quotas and
 * `max_responses` again, even if they are full. Appends to the change feed. Call it in a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden`, `response_not_found`; `invite_used` if another response has
 *   its invitation or its key
 */
export async function restoreResponse(context: Context, surveyId: number, responseId: number): Promise<void> {
  const { em, now, actor } = context
  await findSnapshot(context, surveyId, 'Delete')
  const db = em.getKysely<Tables>()
  await lockFeed(db, surveyId)
  const { rows } = await sql<{ row: Record<string, unknown>; quotas: string[]; codings: object[] | null }>`
    update response_revision revision set before = null
    from response_revision old
    where ${inTrash(surveyId)} and revision.response_id = ${responseId}
      and old.survey_id = revision.survey_id and old.id = revision.id
    returning old.before->'row' as row, old.before->'quotas' as quotas, old.before->'codings' as codings`.execute(db)
  const [deleted] = rows
  if (!deleted) throw problems.responseNotFound()
  // The row can be from before a migration: columns that it lacks get their default.
  const { survey_id: _, ...row } = deleted.row
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  const { rows: inserted } = await sql<ChangedResponse>`insert into response (survey_id, ${columns})
    select ${surveyId}, ${columns} from jsonb_populate_record(null::response, ${JSON.stringify(row)}::jsonb)
    on conflict do nothing returning id, collector_id as "collectorId"`.execute(db)
  if (inserted.length === 0) throw problems.responseReplaced()
  if (deleted.quotas.length > 0)
    await db
      .insertInto('response_quota')
      .values(deleted.quotas.map((quota) => ({ survey_id: surveyId, response_id: responseId, quota })))
      .execute()
  await restoreCodings(db, surveyId, responseId, deleted.codings ?? [])
  await appendChanges(db, surveyId, inserted, 'created', now)
  await db
    .insertInto('response_revision')
    .values({ survey_id: surveyId, response_id: responseId, kind: REVISION.restored, at: now, account_id: actor.id })
    .execute()
  await recordActivity(context, surveyId, 'responses_restored', { response: responseId })
}

/** Restores the categories of the answers, except categories that were deleted meanwhile. */
async function restoreCodings(
  db: Kysely<Tables>,
  surveyId: number,
  responseId: number,
  codings: readonly object[],
): Promise<void> {
  if (codings.length === 0) return
  const categories = await db.selectFrom('coding_category').select('id').where('survey_id', '=', surveyId).execute()
  const known = [0, ...categories.map(({ id }) => id)]
  await sql`insert into response_coding (survey_id, response_id, key, round_id, coder_id, category_id, digest)
    select ${surveyId}, ${responseId}, key, round_id, coder_id, category_id, digest
    from jsonb_to_recordset(${JSON.stringify(codings)}::jsonb)
      as coding (key text, round_id bigint, coder_id bigint, category_id bigint, digest uuid)
    where category_id = any(${known}::bigint[])`.execute(db)
  await noteChange(db, surveyId)
}

/**
 * Erases responses in the trash at once, with their files and their history. Call it in a transaction.
 * @param responseId absent: all, at most {@link DELETE_BATCH_ROWS}, the oldest deletions first
 * @returns the number of erased responses
 * @throws {Problem} `survey_not_found`, `forbidden`; `response_not_found` if `responseId` is not in the trash
 */
export async function eraseDeleted(context: Context, surveyId: number, responseId?: number): Promise<number> {
  await findSnapshot(context, surveyId, 'Delete')
  const db = context.em.getKysely<Tables>()
  await lockFeed(db, surveyId)
  const erased = await erase(db, surveyId, responseId === undefined ? sql`true` : sql`response_id = ${responseId}`)
  if (responseId !== undefined && erased === 0) throw problems.responseNotFound()
  if (erased > 0) await recordActivity(context, surveyId, 'responses_erased', { count: erased })
  return erased
}

/** Erases a response that was just moved to the trash. The caller has locked the feed. */
export const eraseRemoved = (db: Kysely<Tables>, surveyId: number, responseId: number): Promise<number> =>
  erase(db, surveyId, sql`response_id = ${responseId}`)

async function erase(db: Kysely<Tables>, surveyId: number, where: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ id: number }>`select response_id as id from response_revision revision
    where ${inTrash(surveyId)} and ${where} order by id limit ${DELETE_BATCH_ROWS}`.execute(db)
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    for (const table of ['uploaded_file', 'response_revision'] as const)
      await db
        .deleteFrom(table)
        .where('survey_id', '=', surveyId)
        .where((eb) => eb('response_id', '=', eb.fn.any(eb.val(ids))))
        .execute()
  return ids.length
}

/** Erases the responses that have been in the trash for {@link TRASH_DAYS} days. */
export async function purgeTrash({ em, now }: PublicContext, signal: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - TRASH_DAYS * DAY_MS)
  const { rows: surveys } = await sql<{ id: number }>`select distinct ${sql.raw(ACROSS_SURVEYS)} survey_id as id
    from response_revision where kind = ${REVISION.deleted} and before is not null and at <= ${before}`.execute(
    em.getKysely<Tables>(),
  )
  for (const { id } of surveys)
    for (let erased = DELETE_BATCH_ROWS; erased === DELETE_BATCH_ROWS && !signal.aborted; )
      erased = await em.transactional(async (inner) => {
        const db = inner.getKysely<Tables>()
        await lockFeed(db, id)
        return erase(db, id, sql`at <= ${before}`)
      })
}
