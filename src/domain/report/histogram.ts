import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import type { ResponseSearch } from '../response/list/queries.ts'
import type { Question } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { type Bin, binsFor, type NumberSummary } from './bins.ts'
import { type ReportFilter, reportFilters } from './show.ts'

/** Distribution of numeric answers, with mean and median. */
export interface Histogram extends NumberSummary {
  mean: number
  median: number
  bins: readonly (Bin & { count: number })[]
}

/**
 * Returns whether the answers to a question are numbers of any value: the question is a number, a slider, or a text
 * that must be a number.
 */
export const isNumeric = ({ kind, validation, fields }: Question): boolean =>
  fields[0]?.type === 'decimal' ||
  (kind === 'text-response' && (validation?.kind === 'integer' || validation?.kind === 'number'))

/**
 * Computes the histograms of numeric answers. Answers that are not numbers are ignored.
 * @returns histograms by response key; none for a key without numbers
 * @throws {Problem} `survey_not_found`; `question_not_found` for a key that the report does not show
 */
export async function showHistograms(
  context: Context,
  surveyId: number,
  report: ReportFilter,
  request: ResponseSearch,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Histogram>> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  for (const key of keys) {
    const field = snapshot.questionnaire.byKey.get(key)
    const isShown = !report.questions || report.questions.includes(field?.question.id ?? '')
    if (!field || !isNumeric(field.question) || !isShown) throw problems.questionNotFound()
  }
  const filters = await reportFilters(context, snapshot, report, request)
  const db = context.em.getKysely<Tables>()
  const histograms = new Map<string, Histogram>()
  for (const key of keys) {
    const histogram = await histogramOf(db, surveyId, filters, key)
    if (histogram) histograms.set(key, histogram)
  }
  return histograms
}

async function histogramOf(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  key: string,
): Promise<Histogram | undefined> {
  const numbers = db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .select(numberIn(key).as('value'))
    .as('number')
  const summary = await db
    .selectFrom(numbers)
    .where('value', 'is not', null)
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      sql<number>`min(value)::float8`.as('min'),
      sql<number>`max(value)::float8`.as('max'),
      sql<number>`avg(value)::float8`.as('mean'),
      sql<number>`percentile_cont(0.5) within group (order by value)`.as('median'),
      sql<boolean>`bool_and(value = trunc(value))`.as('integersOnly'),
    ])
    .executeTakeFirstOrThrow()
  if (summary.count === 0) return undefined
  const bins = binsFor(summary)
  const { rows } = await sql<{ bin: number; count: number }>`
    select width_bucket(value, ${bins.slice(1).map(({ from }) => from)}::numeric[]) as bin, count(*) as count
    from ${db.selectFrom(numbers).select('value').where('value', 'is not', null)} as numbers group by bin`.execute(db)
  const counts = new Map(rows.map(({ bin, count }) => [bin, count]))
  return { ...summary, bins: bins.map((bin, index) => ({ ...bin, count: counts.get(index) ?? 0 })) }
}
