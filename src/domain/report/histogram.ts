import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Filter } from '../response/filter/filter.ts'
import { numberIn, whereResponses } from '../response/filter/where.ts'
import type { ResponseSearch } from '../response/list/queries.ts'
import type { Question } from '../structure/questionnaire.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { type Bin, binsFor, type Summary } from './bins.ts'
import { type ReportFilter, reportFilters } from './show.ts'

/** Numbers that were written, summed up: how many lie where, their mean and median. */
export interface Spread extends Summary {
  mean: number
  median: number
  bins: readonly (Bin & { count: number })[]
}

/** Whether a question asks for numbers that are written rather than chosen. */
export const asksNumbers = ({ kind, validation }: Question): boolean =>
  kind === 'text-response' && (validation?.kind === 'integer' || validation?.kind === 'number')

/**
 * How the numbers written under some keys are spread. What is no number does not count.
 * @returns by key; nothing for one without any number
 * @throws {Problem} `survey_not_found`; `question_not_found` for a key that the report does not show
 */
export async function showSpreads(
  context: Context,
  surveyId: number,
  scope: ReportFilter,
  asked: ResponseSearch,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Spread>> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  for (const key of keys) {
    const field = snapshot.questionnaire.byKey.get(key)
    const isShown = !scope.questions || scope.questions.includes(field?.question.id ?? '')
    if (!field || !asksNumbers(field.question) || !isShown) throw problems.questionNotFound()
  }
  const filters = await reportFilters(context, snapshot, scope, asked)
  const db = context.em.getKysely<Tables>()
  const found = new Map<string, Spread>()
  for (const key of keys) {
    const spread = await spreadOf(db, surveyId, filters, key)
    if (spread) found.set(key, spread)
  }
  return found
}

async function spreadOf(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  key: string,
): Promise<Spread | undefined> {
  const numbers = db
    .selectFrom('response')
    .where(whereResponses(surveyId, filters))
    .select(numberIn(key).as('value'))
    .as('number')
  const whole = await db
    .selectFrom(numbers)
    .where('value', 'is not', null)
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      sql<number>`min(value)::float8`.as('min'),
      sql<number>`max(value)::float8`.as('max'),
      sql<number>`avg(value)::float8`.as('mean'),
      sql<number>`percentile_cont(0.5) within group (order by value)`.as('median'),
      sql<boolean>`bool_and(value = trunc(value))`.as('whole'),
    ])
    .executeTakeFirstOrThrow()
  if (whole.count === 0) return undefined
  const bins = binsFor(whole)
  const { rows } = await sql<{ bin: number; count: number }>`
    select width_bucket(value, ${bins.slice(1).map(({ from }) => from)}::numeric[]) as bin, count(*) as count
    from ${db.selectFrom(numbers).select('value').where('value', 'is not', null)} as given group by bin`.execute(db)
  const counts = new Map(rows.map(({ bin, count }) => [bin, count]))
  return { ...whole, bins: bins.map((bin, at) => ({ ...bin, count: counts.get(at) ?? 0 })) }
}
