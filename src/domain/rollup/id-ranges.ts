import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { type CountRow, countColumns, predicateBatches } from './aggregate.ts'
import type { Predicate } from './predicate.ts'

/** A range of response ids of a survey: greater than `after`, up to and including `upto`. */
export interface IdRange {
  after: number
  upto: number
}

/** The counts and times of a range of responses. */
export interface RangeCounts {
  /** In the order of the predicates. */
  counts: number[]
  created: TimeRange
  updated: TimeRange
}

/** The earliest and latest time of a range of responses, in PostgreSQL's format; null if there is no response. */
export type TimeRange = readonly [first: string | null, last: string | null]

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
