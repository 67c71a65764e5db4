import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { IdRange } from './id-ranges.ts'

/** Responses of a segment when it is created; deletions make it smaller. */
export const SEGMENT_RESPONSES = 4_096

/** Changes of a survey after which its rollup is refreshed. Each change may invalidate a segment. */
export const REFRESH_AFTER_CHANGES = 256

/** The rollup of a survey without its counts: which predicates it counts, up to which response and as of when. */
export interface RollupState {
  /** Rises with every saved update. */
  generation: number
  /** Number of the change feed up to which all segments are valid. */
  seq: number
  lastId: number
  /** Names of the predicates, in the order of the counts. */
  predicates: readonly string[]
  /** The last response id of each segment, by segment number. */
  ends: readonly number[]
}

/** Reads the state of a survey's rollup; undefined where none is stored. */
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
export async function feedSeq(db: Kysely<Tables>, surveyId: number): Promise<number> {
  const row = await db.selectFrom('survey_feed').select('seq').where('survey_id', '=', surveyId).executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * Returns the numbers of the segments in which a response changed after the segments were counted. A response that is
 * committed late under an id inside a counted segment is such a change, so counting takes no lock.
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
  ends.map((upto, at) => ({ after: at === 0 ? 0 : ends[at - 1]!, upto }))

/**
 * Adds up the stored counts of all segments but some.
 * @param without numbers of the segments to leave out
 * @returns in the order of the rollup's predicates
 */
export async function sumSegments(
  db: Kysely<Tables>,
  surveyId: number,
  without: ReadonlySet<number>,
): Promise<number[]> {
  const { rows } = await sql<{ total: number }>`
    select sum(count)::bigint as total
    from response_segment, unnest(counts) with ordinality as counted(count, predicate_number)
    where survey_id = ${surveyId}::bigint and number <> all(${[...without]}::integer[])
    group by predicate_number order by predicate_number`.execute(db)
  return rows.map(({ total }) => total)
}
