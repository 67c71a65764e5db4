import { type Kysely, sql } from 'kysely'
import { hasSetting } from '../../questions/index.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import type { ResponseSearch } from '../response/list/queries.ts'
import { answerFields } from '../structure/answered.ts'
import type { Question } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { type ReportFilter, reportFilters } from './queries.ts'
import type { Spread } from './question-stats.ts'
import { meanSummary } from './significance.ts'

/** Distribution of numeric answers, with mean and median. */
export interface Histogram extends NumberSummary {
  mean: number
  median: number
  spread: Spread
  bins: readonly (Bin & { count: number })[]
}

/**
 * Returns whether the answers to a question are numbers of any value: the question is a number, a slider, or a text
 * that must be a number.
 */
export const isNumeric = ({ kind, validation, fields }: Question): boolean =>
  fields[0]?.type === 'decimal' ||
  (hasSetting(kind, 'validation') && (validation?.kind === 'integer' || validation?.kind === 'number'))

/** Returns the response keys of the numeric answers to a question. */
export const numericKeys = (question: Question): string[] =>
  isNumeric(question) ? answerFields(question).map(({ key }) => key) : []

/**
 * Computes the histograms of numeric answers. Answers that are not numbers are ignored.
 * @returns histograms by response key; a key without numbers has none
 * @throws {Problem} `survey_not_found`; `question_not_found` for a key that is unknown, not numeric, or not in the
 *   report
 */
export async function showHistograms(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  request: ResponseSearch,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Histogram>> {
  const snapshot = await findSnapshot(context, surveyId, 'Report')
  for (const key of keys) {
    const field = snapshot.questionnaire.byKey.get(key)
    const isShown = !report.questions || report.questions.includes(field?.question.id ?? '')
    if (!field || !isNumeric(field.question) || !isShown) throw problems.questionNotFound()
  }
  const filters = await reportFilters(context, snapshot, report, request)
  const db = context.em.getKysely<Tables>()
  return histogramsOf(db, surveyId, filters, keys)
}

/**
 * Reads the responses twice, each time for all keys: first for the summaries, then to count the numbers in each bin.
 */
async function histogramsOf(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  keys: readonly string[],
): Promise<Map<string, Histogram>> {
  if (keys.length === 0) return new Map()
  const numbers = db
    .selectFrom('response')
    .crossJoin(sql<{ key: string }>`unnest(${keys}::text[])`.as<'question'>(sql`question(key)`))
    .where(whereResponses(surveyId, filters))
    .select((eb) => ['question.key', numberIn(eb.ref('question.key')).as('value')])
    // Without this clause, PostgreSQL would merge the query into the outer one, and parse each number once for each
    // aggregate.
    .offset(0)
    .as('number')
  const summaries = await db
    .selectFrom(numbers)
    .where('value', 'is not', null)
    .groupBy('key')
    .select((eb) => [
      'key',
      eb.fn.countAll<number>().as('count'),
      sql<number>`min(value)::float8`.as('min'),
      sql<number>`max(value)::float8`.as('max'),
      sql<number>`avg(value)::float8`.as('mean'),
      sql<number>`percentile_cont(0.5) within group (order by value)`.as('median'),
      sql<number>`percentile_cont(0.25) within group (order by value)`.as('lowerQuartile'),
      sql<number>`percentile_cont(0.75) within group (order by value)`.as('upperQuartile'),
      sql<number>`var_pop(value)::float8`.as('variance'),
      sql<boolean>`bool_and(value = trunc(value))`.as('integersOnly'),
    ])
    .execute()
  if (summaries.length === 0) return new Map()
  const binned = summaries.map(({ key, ...summary }) => ({ key, summary, bins: binsFor(summary) }))
  const bounds = binned.map(({ bins }) => `{${bins.slice(1).map(({ from }) => from)}}`)
  const { rows } = await sql<{ key: string; bin: number; count: number }>`
    with bounds as materialized (
      select key, bounds::numeric[] from unnest(${binned.map(({ key }) => key)}::text[], ${bounds}::text[]) as bounds(key, bounds)
    )
    select key, width_bucket(value, bounds) as bin, count(*) as count
    from ${db.selectFrom(numbers).select(['key', 'value']).where('value', 'is not', null)} as numbers join bounds using (key)
    group by key, bin`.execute(db)
  const counts = new Map(rows.map(({ key, bin, count }) => [`${bin} ${key}`, count]))
  return new Map(
    binned.map(({ key, summary, bins }) => [
      key,
      {
        ...summary,
        spread: spreadOf(summary),
        bins: bins.map((bin, index) => ({ ...bin, count: counts.get(`${index} ${key}`) ?? 0 })),
      },
    ]),
  )
}

function spreadOf({ count: n, mean, variance, lowerQuartile, upperQuartile }: Summary): Spread {
  const { deviation, interval } = meanSummary({ n, mean, squares: variance * n })
  return { n, deviation, interval, lowerQuartile, upperQuartile }
}

/** The numbers that PostgreSQL computes. */
type Summary = Pick<Histogram, 'count' | 'mean'> & Record<'variance' | 'lowerQuartile' | 'upperQuartile', number>

/** Returns the bins of the numbers under a response key; none without numbers. */
export async function numberBins(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  key: string,
): Promise<{ bins: Bin[]; integersOnly: boolean }> {
  const numbers = db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .select(numberIn(key).as('value'))
    .offset(0)
    .as('number')
  const { min, max, integers } = await db
    .selectFrom(numbers)
    .select([
      sql<number | null>`min(value)::float8`.as('min'),
      sql<number | null>`max(value)::float8`.as('max'),
      sql<boolean | null>`bool_and(value = trunc(value))`.as('integers'),
    ])
    .executeTakeFirstOrThrow()
  const integersOnly = integers === true
  return { bins: min === null || max === null ? [] : binsFor({ min, max, integersOnly }), integersOnly }
}

/** Summary of numbers. */
interface NumberSummary {
  count: number
  min: number
  max: number
  /** Whether all numbers are integers. */
  integersOnly: boolean
}

/** A bin of numbers: at least `from`, less than `below`. */
export interface Bin {
  from: number
  below: number
}

/** Approximate maximum number of bins. */
const MAX_BINS = 12

/** Returns the smallest width of at least `minWidth` that is 1, 2 or 5 times a power of ten. */
function roundWidth(minWidth: number): number {
  const power = 10 ** Math.floor(Math.log10(minWidth))
  const multiple = [1, 2, 5, 10].find((factor) => factor * power >= minWidth * (1 - 1e-9)) ?? 10
  return multiple * power
}

/** Removes floating-point rounding errors. */
const withoutRoundingError = (value: number): number => Number(value.toPrecision(15))

/**
 * Returns bins of equal width with round boundaries that cover `min` to `max`. Bins of integers have an integer width.
 */
export function binsFor({ min, max, integersOnly }: Omit<NumberSummary, 'count'>): Bin[] {
  const width = min < max ? Math.max(roundWidth((max - min) / MAX_BINS), integersOnly ? 1 : 0) : 1
  const first = Math.floor(min / width)
  const last = Math.floor(max / width)
  const bins = Array.from({ length: last - first + 1 }, (_, index) => ({
    from: withoutRoundingError((first + index) * width),
    below: withoutRoundingError((first + index + 1) * width),
  }))
  // If the numbers are so close that floating-point boundaries cannot separate them, there is one bin.
  const areValid = bins[0]!.from <= min && bins.at(-1)!.below > max && bins.every(({ from, below }) => from < below)
  return areValid ? bins : [{ from: min, below: Number.POSITIVE_INFINITY }]
}
