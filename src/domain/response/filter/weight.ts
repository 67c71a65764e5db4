import { type RawBuilder, sql } from 'kysely'
import type { Weighting } from '../../survey/weighting.ts'

/** Builds the weight of a row of `response`. The product has the order of the questions, as in {@link weightFrom}. */
export function weightOf({ questions, scale, min, max }: Weighting): RawBuilder<number> {
  const product = questions.reduce<RawBuilder<unknown>>((left, { key, classes }) => {
    const cases = classes.map(({ value, factor }) => sql`when ${value}::text then ${factor}::float8`)
    return sql`${left} * case response.answers ->> ${key}::text ${sql.join(cases, sql` `)} else 1::float8 end`
  }, sql`${scale}::float8`)
  return sql<number>`least(${max}::float8, greatest(${min}::float8, ${product}))`
}

/** Returns the weight of the answers with these factors. */
export const weightFrom = (
  scale: number,
  factors: readonly number[],
  { min, max }: Pick<Weighting, 'min' | 'max'>,
): number =>
  Math.min(
    max,
    Math.max(
      min,
      factors.reduce((product, factor) => product * factor, scale),
    ),
  )

/** Sums of weights are rounded to this number of digits, so that they do not depend on the order of addition. */
const DIGITS = 12
export const steady = (sum: number): number => Number(sum.toPrecision(DIGITS))
