import { type Kysely, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Tables } from '../tables.ts'
import { type CountRow, countColumns } from './aggregate.ts'
import { planCount } from './count-planner.ts'
import { type Counts, createCounts, distinctPredicates, type Predicate, predicateName } from './predicate.ts'
import { bitmapRanges } from './segments.ts'

/** Maximum number of predicates per statement. PostgreSQL supports 1,664 columns. */
const MAX_PREDICATES_PER_STATEMENT = 1_000

/**
 * Uses bitmaps to count predicates among the responses that pass every filter. For each segment, combines the bits of
 * the filters with the bits of each predicate. Reads the responses of changed segments, of segments that lie only
 * partly in the period of a time filter, and after the last segment. Uses one statement, so that all counts come from
 * one snapshot.
 * @returns undefined if bitmaps cannot evaluate the filters, if there are too many predicates, or if too many responses
 *   would have to be read, for example because bitmaps are missing
 */
export async function crossTabulate(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  requested: readonly Predicate[],
): Promise<Counts | undefined> {
  const predicates = distinctPredicates(requested)
  const plan = planCount(filters)
  if (!plan?.fullyIndexed || predicates.length > MAX_PREDICATES_PER_STATEMENT) return undefined
  const { ranges, passing, names } = bitmapRanges(surveyId, plan, predicates)
  const { from, counts } = countColumns(predicates)
  const liveResponses = db
    .selectFrom('response')
    .select(['completed', 'answers'])
    .where(whereResponses(surveyId, filters))
    .where(sql<boolean>`response.id > id_range.after and response.id <= id_range.upto`)
  const { rows } = await sql<CountRow & { stored_counts: (number | null)[] | null }>`
    with ${ranges}, passing as materialized (
      select segment.number, ${passing} as bits from id_range, rollup, response_segment as segment
      where segment.survey_id = ${surveyId}::bigint and segment.number = id_range.number and id_range.count > 0
        and (select is_cheap from live_work)
    ), bitmap_count as materialized (
      select bitmap.predicate_number, sum(bit_count(bitmap.bits & passing.bits))::bigint as count
      from passing join response_bitmap as bitmap
        on bitmap.survey_id = ${surveyId}::bigint and bitmap.segment_number = passing.number
      where bitmap.predicate_number = any((select positions from rollup)::integer[])
      group by bitmap.predicate_number
    )
    select case when (select is_cheap from live_work) then (
      select jsonb_agg(coalesce(bitmap_count.count, 0) order by ordinality)
      from unnest((select positions from rollup)) with ordinality as requested(predicate_number, ordinality)
      left join bitmap_count using (predicate_number)
    ) end as stored_counts, ${counts}
    from (
      select live.* from id_range cross join lateral (${liveResponses}) as live
      where id_range.count is null and (select is_cheap from live_work)
    ) as response, ${from}`.execute(db)
  const [row] = rows
  if (!row?.stored_counts) return undefined
  const { stored_counts: stored } = row
  const positions = new Map(names.map((name, index) => [name, index]))
  return createCounts(
    predicates,
    predicates.map(
      (predicate, index) => (stored[positions.get(predicateName(predicate))!] ?? 0) + (row[`c${index}`] ?? 0),
    ),
  )
}
