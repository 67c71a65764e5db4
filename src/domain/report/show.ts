import type { Context } from '../context.ts'
import { filtersOf, type ResponseSearch } from '../response/queries.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import { countDays, type Day } from './days.ts'
import { type Results, resultsOf } from './queries.ts'

/** What decides which figures a report shows, as the report keeps it. */
export interface Scope {
  questions?: readonly string[] | null
  query: string
}

/** The responses that a report counts, of those that are asked for. */
export const narrowed = ({ query }: Scope, asked: ResponseSearch): ResponseSearch =>
  query ? { ...asked, also: query } : asked

/**
 * What a report shows: the figures of its questions, of the responses that pass its conditions and those asked for.
 * @throws {Problem} `survey_not_found`, `invalid_request` for conditions that do not fit the survey (any longer)
 */
export async function showReport(
  context: Context,
  surveyId: number,
  design: Scope,
  asked: ResponseSearch,
): Promise<Results> {
  const results = await resultsOf(context, surveyId, narrowed(design, asked))
  const { questions } = design
  if (!questions) return results
  return { ...results, questions: results.questions.filter(({ question }) => questions.includes(question.id)) }
}

/** The days of the same responses. @throws {Problem} as {@link showReport} */
export async function showDays(
  context: Context,
  surveyId: number,
  design: Scope,
  asked: ResponseSearch,
): Promise<Day[]> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const filters = await filtersOf(context, snapshot, narrowed(design, asked))
  return countDays(context.em.getKysely<Tables>(), surveyId, filters)
}
