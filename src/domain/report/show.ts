import type { Context } from '../context.ts'
import { type Filter, parseFilters } from '../response/filter/filter.ts'
import { filtersOf, type ResponseSearch } from '../response/list/queries.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { countDays, type Day } from './days.ts'
import { type Results, resultsOf } from './queries.ts'

/** What decides which figures a report shows, as the report keeps it. */
export interface ReportFilter {
  questions?: readonly string[] | null
  query: string
}

/** Applies where no filter names a state: incomplete responses are not counted unless they are asked for. */
const WITHOUT_INCOMPLETE = '_completed>0'

/** The filter that counts incomplete responses too. */
export const WITH_INCOMPLETE = '_completed>=0'

/**
 * Returns the filters of a report: its own, those of the request, and without a filter on the state one that leaves
 * incomplete responses out.
 * @throws {Problem} `invalid_request` for a filter that does not fit the survey (any longer)
 */
export async function reportFilters(
  context: Context,
  snapshot: SurveySnapshot,
  { query }: ReportFilter,
  asked: ResponseSearch,
): Promise<Filter[]> {
  const filters = await filtersOf(context, snapshot, query ? { ...asked, also: query } : asked)
  if (filters.some(({ name }) => name === '_completed'))
    return filters.filter(({ name, operator, value }) => `${name}${operator}${value}` !== WITH_INCOMPLETE)
  return [...filters, ...parseFilters(WITHOUT_INCOMPLETE, snapshot.questionnaire, 'strict', new Set())]
}

/**
 * What a report shows: the figures of its questions, of the responses that pass its conditions and those asked for.
 * @throws {Problem} `survey_not_found`, `invalid_request` for conditions that do not fit the survey (any longer)
 */
export async function showReport(
  context: Context,
  surveyId: number,
  design: ReportFilter,
  asked: ResponseSearch,
): Promise<Results> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const results = await resultsOf(context, snapshot, await reportFilters(context, snapshot, design, asked))
  const { questions } = design
  if (!questions) return results
  return { ...results, questions: results.questions.filter(({ question }) => questions.includes(question.id)) }
}

/** The days of the same responses. @throws {Problem} as {@link showReport} */
export async function showDays(
  context: Context,
  surveyId: number,
  design: ReportFilter,
  asked: ResponseSearch,
): Promise<Day[]> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const filters = await reportFilters(context, snapshot, design, asked)
  return countDays(context.em.getKysely<Tables>(), surveyId, filters)
}
