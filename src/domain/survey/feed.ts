import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** Kinds of changes of a response. */
export type ChangeKind = 'created' | 'edited' | 'deleted'

/**
 * The number that is stored for each kind in `response_change.kind`, and the effect of the kind on the number of
 * responses.
 */
const KINDS: Readonly<Record<ChangeKind, { stored: number; delta: -1 | 0 | 1 }>> = {
  created: { stored: 1, delta: 1 },
  edited: { stored: 2, delta: 0 },
  deleted: { stored: 3, delta: -1 },
}

/** A change that is appended: one of the kinds, or an edit that makes the response complete. */
type AppendedChange = ChangeKind | 'completed'

/** Returns the kind of a stored number. */
export const changeKind = (stored: number): ChangeKind =>
  stored === KINDS.created.stored ? 'created' : stored === KINDS.edited.stored ? 'edited' : 'deleted'

/** A changed response and its collector. */
export interface ChangedResponse {
  id: number
  collectorId: number
}

/**
 * Locks the change feed of a survey until the commit. Every transaction that changes responses or a survey takes this
 * lock first. Therefore the numbers of the feed follow the order of commits, transactions cannot deadlock, and
 * responses are always deleted with their survey. The transaction does not need a share lock on the row of the survey,
 * which Citus could not take on several nodes at the same time.
 */
export async function lockFeed(db: Kysely<Tables>, surveyId: number): Promise<void> {
  const lock = db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).forUpdate()
  if (await lock.executeTakeFirst()) return
  await db
    .insertInto('survey_feed')
    .values({ survey_id: surveyId, seq: 0, responses: 0 })
    .onConflict((conflict) => conflict.column('survey_id').doNothing())
    .execute()
  await lock.execute()
}

/** Locks the change feed of a survey, and then the row of the survey for an update, until the commit. */
export async function lockFeedAndSurvey(db: Kysely<Tables>, surveyId: number): Promise<void> {
  await lockFeed(db, surveyId)
  await db.selectFrom('survey').select('id').where('id', '=', surveyId).forUpdate().execute()
}

/**
 * Appends one change per response to the feed, in the given order, and updates the counters of the survey and its
 * collectors. Call it inside a transaction. The feed is locked until the commit.
 */
export async function appendChanges(
  db: Kysely<Tables>,
  surveyId: number,
  changed: readonly ChangedResponse[],
  kind: AppendedChange,
  now: Date,
): Promise<void> {
  if (!changed.length) return
  const { stored, delta } = KINDS[kind === 'completed' ? 'edited' : kind]
  const last = await advanceFeed(db, surveyId, changed.length, delta * changed.length)
  const ids = changed.map(({ id }) => id)
  await db
    .insertInto('response_change')
    .columns(['survey_id', 'seq', 'response_id', 'kind', 'at', 'completes'])
    .expression(
      sql`select ${surveyId}::bigint, ${last - ids.length}::bigint + position, id, ${stored}::smallint, ${now}::timestamptz,
          ${kind === 'completed'}::boolean
        from unnest(${ids}::bigint[]) with ordinality as change(id, position)`,
    )
    .execute()
  if (delta !== 0) await addToCounts(db, surveyId, deltasByCollector(changed, delta))
}

/**
 * Reserves the next numbers of the feed and updates the number of responses.
 * @returns the last reserved number
 */
async function advanceFeed(db: Kysely<Tables>, surveyId: number, changes: number, responses: number): Promise<number> {
  const { seq } = await db
    .insertInto('survey_feed')
    .values({ survey_id: surveyId, seq: changes, responses })
    .onConflict((conflict) =>
      conflict.column('survey_id').doUpdateSet((eb) => ({
        seq: eb('survey_feed.seq', '+', eb.ref('excluded.seq')),
        responses: eb('survey_feed.responses', '+', eb.ref('excluded.responses')),
      })),
    )
    .returning('seq')
    .executeTakeFirstOrThrow()
  return seq
}

function deltasByCollector(changed: readonly ChangedResponse[], delta: number): Map<number, number> {
  const deltas = new Map<number, number>()
  for (const { collectorId } of changed) deltas.set(collectorId, (deltas.get(collectorId) ?? 0) + delta)
  return deltas
}

/**
 * Adds to the response counters of collectors. Locks the counters in the order of the collector IDs, as the insertion
 * of responses does.
 * @param deltas the numbers to add, by collector ID
 */
export async function addToCounts(
  db: Kysely<Tables>,
  surveyId: number,
  deltas: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = [...deltas]
    .sort(([a], [b]) => a - b)
    .map(([collector_id, responses]) => ({ survey_id: surveyId, collector_id, responses }))
  await db
    .insertInto('response_count')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['survey_id', 'collector_id'])
        .doUpdateSet((eb) => ({ responses: eb('response_count.responses', '+', eb.ref('excluded.responses')) })),
    )
    .execute()
}
