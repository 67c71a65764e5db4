import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { IdRange } from './id-ranges.ts'

/** Number of responses in a new segment. When some of them are deleted, the segment has fewer. */
export const SEGMENT_RESPONSES = 4_096

/**
 * Number of changes after which a rollup is refreshed. Without refreshes, changes would invalidate ever more segments.
 */
export const REFRESH_AFTER_CHANGES = 256

/**
 * The state of a survey's rollup, without its counts. A rollup contains the numbers of responses that have certain
 * properties (predicates), stored separately for each range of response ids (segment).
 */
export interface RollupState {
  /** Incremented by every update. */
  generation: number
  /** Number of a change in the change feed. The stored counts of all segments were correct after this change. */
  seq: number
  lastId: number
  /** Names of the predicates, in the order of the counts. */
  predicates: readonly string[]
  /** The last response id of each segment, by segment number. */
  ends: readonly number[]
}

/** Reads the state of a survey's rollup; undefined if none is stored. */
export async function readRollupState(db: Kysely<Tables>, surveyId: number): Promise<RollupState | undefined> {
  const row = await db
    .selectFrom('response_rollup')
    .select(['generation', 'seq', 'last_id', 'predicates'])
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  if (!row) return undefined
  const segments = await db
    .selectFrom('response_segment')
    .select('last_id')
    .where('survey_id', '=', surveyId)
    .orderBy('number')
    .execute()
  const { generation, seq, last_id: lastId, predicates } = row
  return { generation, seq, lastId, predicates, ends: segments.map(({ last_id }) => last_id) }
}

/** Returns the last number of a survey's change feed. */
export async function lastFeedSeq(db: Kysely<Tables>, surveyId: number): Promise<number> {
  const row = await db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * Returns the numbers of the segments in which a response changed after the segment was counted. These include segments
 * that received a response after they were counted: a response can be committed later than responses with higher ids.
 */
export async function changedSegments(
  db: Kysely<Tables>,
  surveyId: number,
  { seq, lastId, ends }: RollupState,
): Promise<Set<number>> {
  const changed = db
    .selectFrom('response_change')
    .where('survey_id', '=', surveyId)
    .where('seq', '>', seq)
    .where('response_id', '<=', lastId)
    .select(sql<number>`width_bucket(response_id, ${ends.map((end) => end + 1)}::bigint[])`.as('number'))
    .distinct()
  return new Set((await changed.execute()).map(({ number }) => number))
}

/** Returns the last ids of the full segments that can be added after `lastId`. */
export async function nextSegmentEnds(db: Kysely<Tables>, surveyId: number, lastId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from (
      select id, row_number() over (order by id) as position from response
      where survey_id = ${surveyId}::bigint and id > ${lastId}::bigint
    ) as tail where position % ${SEGMENT_RESPONSES}::integer = 0 order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the ranges of ids that end at each of `ends`. */
export const rangesBetween = (ends: readonly number[]): IdRange[] =>
  ends.map((upto, index) => ({ after: index === 0 ? 0 : ends[index - 1]!, upto }))

/**
 * Sums the stored counts of segments.
 * @param excluded numbers of the segments to leave out
 * @returns the sums, in the order of the rollup's predicates
 */
export async function sumSegments(
  db: Kysely<Tables>,
  surveyId: number,
  excluded: ReadonlySet<number>,
): Promise<number[]> {
  const { rows } = await sql<{ total: number }>`
    select sum(count)::bigint as total
    from response_segment, unnest(counts) with ordinality as counted(count, predicate_number)
    where survey_id = ${surveyId}::bigint and number <> all(${[...excluded]}::integer[])
    group by predicate_number order by predicate_number`.execute(db)
  return rows.map(({ total }) => total)
}
