import { type Kysely, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import { type Classes, classPairs, type PredicateClasses, predicateName } from '../response/filter/predicate.ts'
import { steady, weightOf } from '../response/filter/weight.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import type { Weighting } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import { planCount } from './counts.ts'
import { bitmapRanges, liveResponses } from './segments.ts'
import { cellPredicates, cellWeights, weightCells } from './weighted.ts'

type Database = Kysely<Tables>

/** The responses that belong to a row class and a column class. */
export interface PairCount {
  row: number
  column: number
  count: number
  /** The mean and the population variance of the numbers that these responses have under `valueKey`. */
  mean?: number | null
  variance?: number | null
  /** The sum of the weights of these responses, and that of their squares; only with a weighting. */
  weight?: number
  squares?: number
}

/** The columns of responses that classes are computed from. */
const COLUMNS = ['completed', 'answers', 'collector_id'] as const

/** Which pairs are counted. */
interface PairRequest {
  rows: Classes
  columns: Classes
  /** The response key of the numbers that are summarised. */
  valueKey?: string | undefined
  /** How responses are weighted, if they are. */
  weighting?: Weighting | undefined
}

/**
 * Counts the responses that pass every filter by row class and column class, with one statement. Pairs without
 * responses are omitted. Uses the bitmaps of the rollup if they know all classes and filters; otherwise reads the
 * responses once.
 */
export async function countPairs(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  { rows, columns, valueKey, weighting }: PairRequest,
): Promise<PairCount[]> {
  if (valueKey === undefined && 'predicates' in rows && 'predicates' in columns) {
    const stored = await countPairsFromBitmaps(db, surveyId, filters, rows, columns, weighting)
    if (stored) return stored
  }
  if (weighting) return weighPairs(db, surveyId, filters, { rows, columns, valueKey, weighting })
  return countPairsInResponses(db, surveyId, filters, { rows, columns, valueKey })
}

/** Reads the responses once. */
export async function countPairsInResponses(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  { rows, columns, valueKey }: PairRequest,
): Promise<PairCount[]> {
  const value = valueKey === undefined ? sql`null::float8` : sql`${numberIn(valueKey)}::float8`
  const matching = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(COLUMNS)
  const { rows: counts } = await sql<PairCount>`
    select row_class as row, column_class as column, count(*) as count,
      avg(${value}) as mean, var_pop(${value}) as variance
    from ${matching} as response, ${classPairs(rows, columns)}
    where row_class is not null and column_class is not null
    group by row_class, column_class`.execute(db)
  return counts
}

/**
 * Reads the responses once, and adds up their weights. Moments are computed with decimal numbers, which lose no digits
 * if the mean is large.
 */
export async function weighPairs(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  { rows, columns, valueKey, weighting }: PairRequest & { weighting: Weighting },
): Promise<PairCount[]> {
  const isNumeric = valueKey !== undefined
  const value = isNumeric ? numberIn(valueKey) : sql`null::numeric`
  const moments = isNumeric
    ? sql`(sum(w::numeric * value) / nullif(sum(w::numeric), 0))::float8 as mean,
      (greatest(0, sum(w::numeric * value * value) - sum(w::numeric * value) ^ 2 / nullif(sum(w::numeric), 0))
        / nullif(sum(w::numeric), 0))::float8 as variance`
    : sql`null as mean, null as variance`
  const matching = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(COLUMNS)
  const { rows: counts } = await sql<PairCount>`
    select "row", "column", count(*) as count, sum(w) as weight, sum(w * w) as squares, ${moments}
    from (
      select row_class as "row", column_class as "column", ${value} as value, ${weightOf(weighting)} as w
      from ${matching} as response, ${classPairs(rows, columns)}
      where row_class is not null and column_class is not null
      offset 0
    ) as weighted
    group by "row", "column"`.execute(db)
  return counts.map((pair) => ({ ...pair, weight: steady(pair.weight!), squares: steady(pair.squares!) }))
}

/** More combinations of rows, columns and answers with a weight are read from the responses, which takes less time. */
const MAX_COMBINATIONS = 5_000

/**
 * Combines, for each segment, the bits of the filters with those of each row class and each column class, and with a
 * weighting with those of each combination of answers that has a weight. Reads the responses only where the rollup has no
 * current bitmaps.
 * @returns undefined as `crossTabulate`, and if there are too many combinations
 */
export async function countPairsFromBitmaps(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  rows: PredicateClasses,
  columns: PredicateClasses,
  weighting?: Weighting,
): Promise<PairCount[] | undefined> {
  const plan = planCount(filters)
  const weights = weighting ? cellWeights(weighting) : [1]
  const combinations = rows.predicates.length * columns.predicates.length * weights.length
  if (!plan?.fullyIndexed || (weighting && combinations > MAX_COMBINATIONS)) return undefined
  const { ranges, passing, names } = bitmapRanges(surveyId, plan, [
    ...rows.predicates,
    ...columns.predicates,
    ...(weighting ? cellPredicates(weighting) : []),
  ])
  const positions = ({ predicates }: PredicateClasses) =>
    `{${predicates.map((predicate) => names.indexOf(predicateName(predicate)) + 1)}}`
  const bitmapsOf = (classes: PredicateClasses) => sql`
    select ordinality - 1 as class, bitmap.segment_number, bitmap.bits
    from rollup cross join unnest(${positions(classes)}::integer[]) with ordinality as requested(position, ordinality)
    join response_bitmap as bitmap
      on bitmap.survey_id = ${surveyId}::bigint and bitmap.predicate_number = rollup.positions[position]
    where bitmap.segment_number in (select number from passing)`
  const cells = weighting
    ? weightCells(surveyId, weighting, names)
    : sql`weight_cell as (select number as segment_number, 0 as cell, bits from passing)`
  const weight = weighting ? weightOf(weighting) : sql<number>`1::float8`
  const live = liveResponses(db, surveyId, filters).select(['completed', 'answers', weight.as('w')])
  const { rows: counts } = await sql<Required<PairCount> & { row: number | null }>`
    with ${ranges}, passing as materialized (
      select segment.number, ${passing} as bits from id_range, rollup, response_segment as segment
      where segment.survey_id = ${surveyId}::bigint and segment.number = id_range.number and id_range.count > 0
        and (select is_cheap from live_work)
    ), ${cells}, row_bits as materialized (
      select class, segment_number, cell, row_bitmap.bits & weight_cell.bits as bits
      from (${bitmapsOf(rows)}) as row_bitmap join weight_cell using (segment_number)
    ), column_bits as materialized (${bitmapsOf(columns)}), stored as (
      select row_bits.class::integer as row_class, column_bits.class::integer as column_class, row_bits.cell,
        sum(bit_count(row_bits.bits & column_bits.bits)) as count
      from row_bits join column_bits using (segment_number)
      group by row_bits.class, column_bits.class, row_bits.cell
    ), pair as (
      select row_class, column_class, count, count * w as weight, count * w * w as squares
      from stored, lateral (select (${weights}::float8[])[cell + 1] as w) as weight_of
      union all
      select row_class, column_class, count(*), sum(w), sum(w * w)
      from (
        select live.* from id_range cross join lateral (${live}) as live
        where id_range.count is null and (select is_cheap from live_work)
      ) as response, ${classPairs(rows, columns)}
      where row_class is not null and column_class is not null
      group by row_class, column_class
    )
    select row_class as row, column_class as column, sum(count)::bigint as count, sum(weight) as weight,
      sum(squares) as squares
    from pair group by row_class, column_class
    union all
    select null, null, null, null, null from live_work where is_cheap`.execute(db)
  if (!counts.some(({ row }) => row === null)) return undefined
  return counts.flatMap(({ row, column, count, weight, squares }) =>
    row === null || count === 0
      ? []
      : { row, column, count, ...(weighting && { weight: steady(weight), squares: steady(squares) }) },
  )
}
