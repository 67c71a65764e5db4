import { type Kysely, type RawBuilder, sql } from 'kysely'
import { steady } from '../response/filter/weight.ts'
import type { Tables } from '../tables.ts'
import { effectiveMoments, RANK_TOLERANCE, ranksAt, type Spread, type WeightedBase } from './question-stats.ts'
import { type Moments, meanSummary } from './significance.ts'

/** Numbers with their mean, median and spread. */
export interface NumberSummary {
  count: number
  min: number
  max: number
  /** Whether all numbers are integers. */
  integersOnly: boolean
  mean: number
  median: number
  spread: Spread
  /** Only with weights. */
  weighted?: WeightedBase
  /** The moments of the numbers; with weights, those of the effective number of responses. */
  moments: Moments
}

const SHARES = { median: 0.5, lower: 0.25, upper: 0.75 } as const

interface SummaryRow {
  key: string
  position: number
  count: number
  min: number
  max: number
  integers: boolean
  weight: number
  squares: number
  mean: number
  variance: number
  /** The numbers between which the quantiles lie: low and high of each share. */
  quantiles: number[]
}

/**
 * Summarises numbers by key and position. Equal numbers are counted first, because few values are common. Moments are
 * computed with decimal numbers, which lose no digits if the mean is large.
 * @param numbers a query with the columns `key`, `position`, `value` and, with weights, `w`
 * @returns summaries by key and position, see {@link summaryName}
 */
export async function summariseNumbers(
  db: Kysely<Tables>,
  numbers: RawBuilder<unknown>,
  isWeighted: boolean,
): Promise<Map<string, NumberSummary>> {
  const [weight, squares] = isWeighted ? [sql`sum(w)`, sql`sum(w * w)`] : [sql`count(*)`, sql`count(*)`]
  const rank = (share: number) => sql`(1 + (size - 1) * ${sql.lit(share)}::numeric)`
  const tolerance = sql`${sql.lit(RANK_TOLERANCE)}::numeric * size`
  const valueAt = (at: RawBuilder<unknown>) =>
    sql`coalesce(min(value) filter (where cumulated >= ${at} - ${tolerance}), max(value))::float8`
  const bounds = Object.values(SHARES).flatMap((share) => {
    const low = sql`greatest(1, floor(${rank(share)}))`
    return [valueAt(low), valueAt(sql`least(${low} + 1, size)`)]
  })
  const { rows } = await sql<SummaryRow>`
    with part as materialized (
      select key, position, value, count(*) as count, ${weight}::numeric as weight, ${squares}::numeric as squares
      from (${numbers}) as number where value is not null group by key, position, value
    ), ranked as (
      select *, sum(weight) over (partition by key, position order by value) as cumulated,
        round(sum(weight) over (partition by key, position), 9) as size
      from part
    )
    select key, position, sum(count)::bigint as count, min(value)::float8 as min, max(value)::float8 as max,
      bool_and(value = trunc(value)) as integers, sum(weight)::float8 as weight, sum(squares)::float8 as squares,
      (sum(weight * value) / nullif(sum(weight), 0))::float8 as mean,
      (greatest(0, sum(weight * value * value) - sum(weight * value) ^ 2 / nullif(sum(weight), 0))
        / nullif(sum(weight), 0))::float8 as variance,
      array[${sql.join(bounds)}] as quantiles
    from ranked group by key, position`.execute(db)
  return new Map(rows.map((row) => [summaryName(row.key, row.position), summaryOf(row, isWeighted)]))
}

/** Returns the name of a summary. */
export const summaryName = (key: string, position: number): string => `${position} ${key}`

function summaryOf({ count, min, max, integers, quantiles, ...row }: SummaryRow, isWeighted: boolean): NumberSummary {
  const shown = (value: number) => (isWeighted ? steady(value) : value)
  const [weight, squares] = [shown(row.weight), shown(row.squares)]
  const effectiveN = squares === 0 ? 0 : (weight * weight) / squares
  const plain = { n: weight, mean: shown(row.mean ?? 0), squares: (row.variance ?? 0) * weight }
  const moments = isWeighted ? effectiveMoments(plain, effectiveN) : plain
  const { deviation, interval } = meanSummary(moments)
  const [median, lowerQuartile, upperQuartile] = Object.values(SHARES).map((share, index) => {
    const [low, high] = quantiles.slice(2 * index)
    return shown(low! + (high! - low!) * ranksAt(weight, share).between)
  }) as [number, number, number]
  return {
    ...{ count, min, max, integersOnly: integers, mean: moments.mean, median, moments },
    spread: { n: count, deviation, interval, lowerQuartile, upperQuartile },
    ...(isWeighted && { weighted: { n: weight, effectiveN } }),
  }
}
