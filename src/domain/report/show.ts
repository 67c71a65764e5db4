import { isTimeZone } from '../account/commands.ts'
import type { Context } from '../context.ts'
import { type Filter, parseFilters } from '../response/filter/filter.ts'
import { filtersOf, type ResponseSearch } from '../response/list/queries.ts'
import { findSnapshot } from '../survey/queries.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'
import { countDays, type DayCount } from './days.ts'
import { computeResults, type ReportResults } from './queries.ts'

/** The stored questions and filters of a report. */
export interface ReportFilter {
  questions?: readonly string[] | null
  query: string
}

/** The filter that is added if no other filter tests `_completed`. */
const ONLY_COMPLETE = '_completed=1'

/** Filters with which a report counts more than the complete responses. */
export const WITH_SCREENED_OUT = '_completed>0'
export const WITH_INCOMPLETE = '_completed<2'
export const WITH_ALL = '_completed>=0'

/**
 * Returns the filters of a report and of the request. If none of them tests `_completed`, adds a filter for complete
 * responses.
 * @throws {Problem} `invalid_request` for a filter that does not match the current survey
 */
export async function reportFilters(
  context: Context,
  snapshot: SurveySnapshot,
  { query }: ReportFilter,
  request: ResponseSearch,
): Promise<Filter[]> {
  const filters = await filtersOf(context, snapshot, query ? { ...request, also: query } : request)
  if (filters.some(({ name }) => name === '_completed'))
    return filters.filter(({ name, operator, value }) => `${name}${operator}${value}` !== WITH_ALL)
  return [...filters, ...parseFilters(ONLY_COMPLETE, snapshot.questionnaire, 'strict', new Set())]
}

/**
 * Computes the results of a report over the responses that pass the filters of the report and of the request.
 * @throws {Problem} `survey_not_found`, `invalid_request` for filters that do not match the current survey
 */
export async function showReport(
  context: Context,
  surveyId: number,
  design: ReportFilter,
  request: ResponseSearch,
): Promise<ReportResults> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const results = await computeResults(context, snapshot, await reportFilters(context, snapshot, design, request))
  const { questions } = design
  if (!questions) return results
  return { ...results, questions: results.questions.filter(({ question }) => questions.includes(question.id)) }
}

/** Numbers of responses by day in a time zone. */
export interface ReportDays {
  timeZone: string
  days: DayCount[]
}

/**
 * Counts the responses of a report by day.
 * @param timeZone the time zone of the days; UTC is used in place of one that PostgreSQL does not know
 * @throws {Problem} as {@link showReport}
 */
export async function showDays(
  context: Context,
  surveyId: number,
  design: ReportFilter,
  request: ResponseSearch,
  timeZone: string,
): Promise<ReportDays> {
  const snapshot = await findSnapshot(context, surveyId, 'Analyze')
  const filters = await reportFilters(context, snapshot, design, request)
  const zone = (await isTimeZone(context.em, timeZone)) ? timeZone : 'UTC'
  return { timeZone: zone, days: await countDays(context.em.getKysely<Tables>(), surveyId, filters, zone) }
}
