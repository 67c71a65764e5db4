import { type Kysely, sql } from 'kysely'
import { hasSetting } from '../../questions/index.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import { steady, weightOf } from '../response/filter/weight.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import type { ResponseSearch } from '../response/list/queries.ts'
import { answerFields } from '../structure/answered.ts'
import type { Question } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import { remember } from '../survey/remembered.ts'
import { type Weighting, weightingIn } from '../survey/weighting.ts'
import type { Tables } from '../tables.ts'
import { type NumberSummary, summariseNumbers, summaryName } from './number-summary.ts'
import { type ReportFilter, reportFilters } from './queries.ts'

/** Distribution of numeric answers, with mean and median. */
export interface Histogram extends NumberSummary {
  /** `weighted`: the sum of the weights of the numbers in the bin; only with weights. */
  bins: readonly (Bin & { count: number; weighted?: number })[]
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
 * @param options `weighted`: means, quantiles and bins are those of the weighted responses
 * @returns histograms by response key; a key without numbers has none
 * @throws {Problem} `survey_not_found`, `weighting_not_found`; `question_not_found` for a key that is unknown, not
 *   numeric, or not in the report
 */
export async function showHistograms(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  request: ResponseSearch,
  keys: readonly string[],
  { weighted = false } = {},
): Promise<ReadonlyMap<string, Histogram>> {
  const snapshot = await findSnapshot(context, surveyId, 'Report')
  for (const key of keys) {
    const field = snapshot.questionnaire.byKey.get(key)
    const isShown = !report.questions || report.questions.includes(field?.question.id ?? '')
    if (!field || !isNumeric(field.question) || !isShown) throw problems.questionNotFound()
  }
  const filters = await reportFilters(context, snapshot, report, request)
  const db = context.em.getKysely<Tables>()
  if (!weighted) return histogramsOf(db, surveyId, filters, keys)
  const weighting = weightingIn(snapshot)
  return remember(context, snapshot, ['histograms', filters, keys], () =>
    histogramsOf(db, surveyId, filters, keys, weighting),
  )
}

/**
 * Reads the responses twice, each time for all keys: first for the summaries, then to count the numbers in each bin.
 */
async function histogramsOf(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  keys: readonly string[],
  weighting?: Weighting,
): Promise<Map<string, Histogram>> {
  if (keys.length === 0) return new Map()
  const matching = db
    .selectFrom('response')
    .crossJoin(sql<{ key: string }>`unnest(${keys}::text[])`.as<'question'>(sql`question(key)`))
    .where(whereResponses(surveyId, filters))
    .select((eb) => [
      'question.key',
      sql`1`.as('position'),
      numberIn(eb.ref('question.key')).as('value'),
      ...(weighting ? [weightOf(weighting).as('w')] : []),
    ])
    // Without this clause, PostgreSQL would merge the query into the outer one, and parse each number once for each
    // aggregate.
    .offset(0)
  const numbers = sql`${matching}`
  const summaries = await summariseNumbers(db, numbers, weighting !== undefined)
  const binned = keys.flatMap((key) => {
    const summary = summaries.get(summaryName(key, 1))
    return summary ? [{ key, summary, bins: binsFor(summary) }] : []
  })
  if (binned.length === 0) return new Map()
  const bounds = binned.map(({ bins }) => `{${bins.slice(1).map(({ from }) => from)}}`)
  const weight = weighting ? sql`sum(w)` : sql`null::float8`
  const { rows } = await sql<{ key: string; bin: number; count: number; weight: number | null }>`
    with bounds as materialized (
      select key, bounds::numeric[] from unnest(${binned.map(({ key }) => key)}::text[], ${bounds}::text[]) as bounds(key, bounds)
    )
    select key, width_bucket(value, bounds) as bin, count(*) as count, ${weight} as weight
    from (${numbers}) as number join bounds using (key) where value is not null
    group by key, bin`.execute(db)
  const counts = new Map(rows.map((row) => [summaryName(row.key, row.bin), row]))
  return new Map(
    binned.map(({ key, summary, bins }) => [
      key,
      {
        ...summary,
        bins: bins.map((bin, index) => {
          const { count = 0, weight = 0 } = counts.get(summaryName(key, index)) ?? {}
          return { ...bin, count, ...(weighting && { weighted: steady(weight ?? 0) }) }
        }),
      },
    ]),
  )
}

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
export function binsFor({ min, max, integersOnly }: Pick<NumberSummary, 'min' | 'max' | 'integersOnly'>): Bin[] {
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
