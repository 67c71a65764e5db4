import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Filter } from '../response/filter/filter.ts'
import {
  distinctPredicates,
  type Predicate,
  predicateBatches,
  predicateName,
  weightColumns,
} from '../response/filter/predicate.ts'
import { steady, weightFrom, weightOf } from '../response/filter/weight.ts'
import { whereResponses } from '../response/filter/where.ts'
import type { Weighting } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import { planCount } from './counts.ts'
import { bitmapRanges, liveResponses } from './segments.ts'

type Database = Kysely<Tables>

/** The responses that have a predicate. */
export interface Tally {
  count: number
  /** The sum of the weights, and that of their squares. */
  weight: number
  squares: number
}

/** Returns the tally of a predicate. */
export type Tallies = (predicate: Predicate) => Tally

/**
 * Counts predicates among the responses that pass every filter, and adds up the weights of these responses. Uses the
 * bitmaps of the rollup if they know the filters and the answers that the weights depend on; otherwise reads the
 * responses once.
 */
export async function weighPredicates(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  requested: readonly Predicate[],
  weighting: Weighting,
): Promise<Tallies> {
  const tallies = new Map<string, Tally>()
  for (const predicates of predicateBatches(distinctPredicates(requested), MAX_PREDICATES_PER_STATEMENT)) {
    const found =
      (await weighFromBitmaps(db, surveyId, filters, predicates, weighting)) ??
      (await weighInResponses(db, surveyId, filters, predicates, weighting))
    for (const [index, predicate] of predicates.entries()) tallies.set(predicateName(predicate), found[index]!)
  }
  return (predicate) => tallies.get(predicateName(predicate)) ?? { count: 0, weight: 0, squares: 0 }
}

/** Each predicate needs three columns, and bitmaps also those of the weights. */
const MAX_PREDICATES_PER_STATEMENT = 300

/** Counts and sums in the order of the predicates. A sum of no weights is null. */
interface Columns {
  counts: number[]
  weights: (number | null)[]
  squares: (number | null)[]
}

const talliesOf = (parts: readonly Columns[]): Tally[] =>
  parts[0]!.counts.map((_, index) => {
    const sum = (of: keyof Columns) => parts.reduce((total, part) => total + (part[of][index] ?? 0), 0)
    return { count: sum('counts'), weight: steady(sum('weights')), squares: steady(sum('squares')) }
  })

/** Reads the responses once. */
export async function weighInResponses(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  predicates: readonly Predicate[],
  weighting: Weighting,
): Promise<Tally[]> {
  const matching = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(['completed', 'answers'])
  const { rows } = await weighed(matching, predicates, weighting).execute(db)
  return talliesOf(rows)
}

/** Builds the query that counts and weighs the rows of `response` in another query. */
function weighed(matching: unknown, predicates: readonly Predicate[], weighting: Weighting): RawBuilder<Columns> {
  const { from, columns } = weightColumns(predicates)
  return sql<Columns>`select ${columns} from (
      select response.completed, response.answers, ${weightOf(weighting)} as w from ${matching} as response offset 0
    ) as response, ${from}`
}

/** More combinations of answers and predicates than these are read from the responses, which takes less time. */
const MAX_COMBINATIONS = 60_000

/**
 * Combines, for each segment, the bits of the filters with those of each combination of answers that has a weight, and
 * these with the bits of each predicate. Reads the responses only where the rollup has no current bitmaps.
 * @returns undefined as `crossTabulate`, and if there are too many combinations
 */
export async function weighFromBitmaps(
  db: Database,
  surveyId: number,
  filters: readonly Filter[],
  predicates: readonly Predicate[],
  weighting: Weighting,
): Promise<Tally[] | undefined> {
  const plan = planCount(filters)
  const weights = cellWeights(weighting)
  if (!plan?.fullyIndexed || weights.length * predicates.length > MAX_COMBINATIONS) return undefined
  const { ranges, passing, names } = bitmapRanges(surveyId, plan, [...predicates, ...cellPredicates(weighting)])
  const positions = `{${predicates.map((predicate) => names.indexOf(predicateName(predicate)) + 1)}}`
  const live = liveResponses(db, surveyId, filters).select(['completed', 'answers'])
  const rest = sql`(
    select live.* from id_range cross join lateral (${live}) as live
    where id_range.count is null and (select is_cheap from live_work)
  )`
  const { rows } = await sql<{ stored: Columns | null; live: Columns }>`
    with ${ranges}, passing as materialized (
      select segment.number, ${passing} as bits from id_range, rollup, response_segment as segment
      where segment.survey_id = ${surveyId}::bigint and segment.number = id_range.number and id_range.count > 0
        and (select is_cheap from live_work)
    ), ${weightCells(surveyId, weighting, names)}, requested as (
      select ordinality, rollup.positions[position] as predicate_number
      from rollup cross join unnest(${positions}::integer[]) with ordinality as requested(position, ordinality)
    ), tally as materialized (
      select ordinality, sum(part.count)::float8 as count, sum(part.count * w) as weight, sum(part.count * w * w) as squares
      from (
        select requested.ordinality, cell.cell, sum(bit_count(cell.bits & bitmap.bits)) as count
        from requested join response_bitmap as bitmap
          on bitmap.survey_id = ${surveyId}::bigint and bitmap.predicate_number = requested.predicate_number
        join weight_cell as cell on cell.segment_number = bitmap.segment_number
        group by requested.ordinality, cell.cell
      ) as part, lateral (select (${weights}::float8[])[cell + 1] as w) as weight_of
      group by ordinality
    )
    select case when (select is_cheap from live_work) then (
      select jsonb_build_object(
        'counts', jsonb_agg(coalesce(count, 0) order by ordinality),
        'weights', jsonb_agg(weight order by ordinality), 'squares', jsonb_agg(squares order by ordinality))
      from requested left join tally using (ordinality)
    ) end as stored, to_jsonb(live) as live
    from (${weighed(rest, predicates, weighting)}) as live`.execute(db)
  const { stored, live: counted } = rows[0]!
  return stored?.counts ? talliesOf([stored, counted]) : undefined
}

/** Returns the predicates of the answers that weights depend on. */
export const cellPredicates = ({ questions }: Weighting): Predicate[] =>
  questions.flatMap(({ key, classes }) => classes.map(({ value }): Predicate => ({ kind: 'value', key, value })))

/**
 * Returns the weight of each combination of answers. The last class of each question has no factor: the responses
 * without an answer, and those with an answer without a target.
 */
export const cellWeights = ({ questions, scale, ...bounds }: Weighting): number[] =>
  questions
    .reduce<number[][]>(
      (cells, { classes }) =>
        cells.flatMap((cell) => [...classes.map(({ factor }) => factor), 1].map((factor) => [...cell, factor])),
      [[]],
    )
    .map((factors) => weightFrom(scale, factors, bounds))

/**
 * Builds common table expressions, of which the last is `weight_cell`: the bits of each combination of answers (`cell`,
 * in the order of {@link cellWeights}) in each segment of `passing`.
 * @param names the names of the predicates in the order of `rollup.positions`
 */
export function weightCells(surveyId: number, { questions }: Weighting, names: readonly string[]): RawBuilder<unknown> {
  const last = questions.length - 1
  const nameOf = (index: number) => sql.id(index === last ? 'weight_cell' : `weight_cell_${index}`)
  const steps = questions.map(({ key, classes }, index) => {
    const positions = classes.map(({ value }) => names.indexOf(predicateName({ kind: 'value', key, value })) + 1)
    const margin = sql.id(`weight_margin_${index}`)
    const before =
      index === 0 ? sql`(select number as segment_number, 0 as cell, bits from passing)` : nameOf(index - 1)
    return sql`${margin} as materialized (
      select ordinality::integer - 1 as class, bitmap.segment_number, bitmap.bits
      from rollup cross join unnest(${`{${positions}}`}::integer[]) with ordinality as requested(position, ordinality)
      join response_bitmap as bitmap
        on bitmap.survey_id = ${surveyId}::bigint and bitmap.predicate_number = rollup.positions[position]
      where bitmap.segment_number in (select number from passing)
    ), ${nameOf(index)} as materialized (
      select segment_number, cell, bits from (
        select segment_number, cell * ${classes.length + 1}::integer + class as cell, before.bits & margin.bits as bits
        from ${before} as before join ${margin} as margin using (segment_number)
        union all
        select segment_number, cell * ${classes.length + 1}::integer + ${classes.length}::integer,
          before.bits & ~answered.bits
        from ${before} as before
        join (select segment_number, bit_or(bits) as bits from ${margin} group by segment_number) as answered
          using (segment_number)
      ) as part where bit_count(bits) > 0
    )`
  })
  return sql.join(steps)
}
