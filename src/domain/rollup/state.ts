import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { type CountRow, countColumns, type Predicate, predicateBatches } from '../response/filter/predicate.ts'
import type { Tables } from '../tables.ts'

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

/** A range of response ids of a survey: greater than `after`, up to and including `upto`. */
export interface IdRange {
  after: number
  upto: number
}

/** The counts and times of a range of responses. */
interface RangeCounts {
  /** In the order of the predicates. */
  counts: number[]
  created: TimeRange
  updated: TimeRange
}

/** The earliest and latest time of a range of responses, in PostgreSQL's format; null if there is no response. */
type TimeRange = readonly [first: string | null, last: string | null]

const EMPTY: TimeRange = [null, null]

/**
 * Counts predicates per range, over responses in all states. Adjacent ranges are counted by one statement.
 * @param ranges in order of id, not overlapping
 */
export async function countRanges(
  db: Kysely<Tables>,
  surveyId: number,
  ranges: readonly IdRange[],
  predicates: readonly Predicate[],
): Promise<RangeCounts[]> {
  const results = ranges.map((): RangeCounts => ({ counts: [], created: EMPTY, updated: EMPTY }))
  for (const { first, run } of adjacentRuns(ranges))
    for (const batch of predicateBatches(predicates)) {
      const { from, counts } = countColumns(batch)
      const boundaries = run.slice(1).map(({ after }) => after + 1)
      const { rows } = await sql<CountRow & TimeRow>`
        select width_bucket(response.id, ${boundaries}::bigint[]) as position, ${TIME_RANGES}, ${counts}
        from response, ${from}
        where response.survey_id = ${surveyId}::bigint
          and response.id > ${run[0]!.after}::bigint and response.id <= ${run.at(-1)!.upto}::bigint
        group by position`.execute(db)
      const byPosition = new Map(rows.map((row) => [row.position, row]))
      for (const position of run.keys()) {
        const row = byPosition.get(position)
        const result = results[first + position]!
        result.counts.push(...batch.map((_, index) => row?.[`c${index}`] ?? 0))
        if (row) Object.assign(result, { created: row.created, updated: row.updated })
      }
    }
  return results
}

interface TimeRow {
  position: number
  created: TimeRange
  updated: TimeRange
}

const TIME_RANGES = sql`array[min(response.created_at)::text, max(response.created_at)::text] as created,
  array[min(response.updated_at)::text, max(response.updated_at)::text] as updated`

/**
 * Maximum number of ranges per statement. It keeps each statement below its timeout in surveys of many millions of
 * responses.
 */
const MAX_RANGES_PER_STATEMENT = 100

/** Groups ranges that are adjacent. */
function adjacentRuns(ranges: readonly IdRange[]): { first: number; run: IdRange[] }[] {
  const runs: { first: number; run: IdRange[] }[] = []
  for (const [index, range] of ranges.entries()) {
    const last = runs.at(-1)
    if (last && last.run.length < MAX_RANGES_PER_STATEMENT && last.run.at(-1)!.upto === range.after)
      last.run.push(range)
    else runs.push({ first: index, run: [range] })
  }
  return runs
}

/** New counts to store in a rollup. */
export interface RollupUpdate {
  seq: number
  lastId: number
  /** Names of all predicates that the rollup counts after the update. */
  predicates: readonly string[]
  /** New segments, and segments that were counted again, with the counts of all predicates. */
  recounted: readonly SegmentCounts[]
  /** Unchanged segments, with the counts of the added predicates. */
  extended: readonly SegmentCounts[]
  /** Whether all stored segments are deleted before the new segments are stored. */
  replacesAll: boolean
}

interface SegmentCounts extends RangeCounts {
  number: number
  lastId: number
}

/**
 * Stores an update of a survey's rollup. If another transaction has updated the rollup since `before` was read, does
 * nothing, because stored counts are only an optimization.
 * @param before the state on which the update is based; undefined: no rollup was stored
 */
export async function saveRollup(
  { em }: Pick<PublicContext, 'em'>,
  surveyId: number,
  before: RollupState | undefined,
  update: RollupUpdate,
): Promise<void> {
  await em.fork().transactional(async (inner) => {
    const db = inner.getKysely<Tables>()
    if (!(await advanceState(db, surveyId, before, update))) return
    const numbers = update.recounted.map(({ number }) => number)
    if (update.replacesAll) await db.deleteFrom('response_segment').where('survey_id', '=', surveyId).execute()
    else if (numbers.length > 0)
      for (const table of ['response_bitmap', 'response_progress'])
        await sql`delete from ${sql.table(table)}
          where survey_id = ${surveyId}::bigint and segment_number = any(${numbers}::integer[])`.execute(db)
    await upsert(
      db,
      surveyId,
      update.recounted,
      sql`counts = excluded.counts, indexed_predicates = 0, ${EXCLUDED_TIMES}`,
    )
    await upsert(db, surveyId, update.extended, sql`counts = response_segment.counts || excluded.counts`)
  })
}

/** Stores the new state. @returns false if another transaction has changed the state */
async function advanceState(
  db: Kysely<Tables>,
  surveyId: number,
  before: RollupState | undefined,
  { seq, lastId, predicates }: RollupUpdate,
): Promise<boolean> {
  const names = sql<string[]>`${predicates}::text[]`
  if (before) {
    const updated = await db
      .updateTable('response_rollup')
      .set((eb) => ({ seq, last_id: lastId, predicates: names, generation: eb('generation', '+', 1) }))
      .where('survey_id', '=', surveyId)
      .where('generation', '=', before.generation)
      .executeTakeFirstOrThrow()
    return updated.numUpdatedRows > 0n
  }
  // The lock (`for key share`) keeps the survey from being deleted between the select and the insert.
  const inserted = await sql`insert into response_rollup (survey_id, seq, last_id, predicates)
    select id, ${seq}::bigint, ${lastId}::bigint, ${names} from survey where id = ${surveyId}::bigint for key share
    on conflict (survey_id) do nothing`.execute(db)
  return (inserted.numAffectedRows ?? 0n) > 0n
}

const EXCLUDED_TIMES = sql`first_created = excluded.first_created, last_created = excluded.last_created,
  first_updated = excluded.first_updated, last_updated = excluded.last_updated`

async function upsert(
  db: Kysely<Tables>,
  surveyId: number,
  segments: readonly SegmentCounts[],
  changes: ReturnType<typeof sql>,
): Promise<void> {
  if (segments.length === 0) return
  const numbers = segments.map(({ number }) => number)
  const ends = segments.map(({ lastId }) => lastId)
  const counts = segments.map((segment) => `{${segment.counts.join(',')}}`)
  const times = (of: (segment: SegmentCounts) => string | null) => sql`${segments.map(of)}::timestamptz[]`
  await sql`insert into response_segment
      (survey_id, number, last_id, counts, first_created, last_created, first_updated, last_updated)
    select ${surveyId}::bigint, number, last_id, counts::integer[], first_created, last_created, first_updated, last_updated
    from unnest(${numbers}::integer[], ${ends}::bigint[], ${counts}::text[],
      ${times(({ created }) => created[0])}, ${times(({ created }) => created[1])},
      ${times(({ updated }) => updated[0])}, ${times(({ updated }) => updated[1])}
    ) as segment(number, last_id, counts, first_created, last_created, first_updated, last_updated)
    on conflict (survey_id, number) do update set ${changes}`.execute(db)
}
