import type { Context } from '../../domain/context.ts'
import { problems } from '../../domain/problem.ts'
import {
  type PublishedResults,
  type ReportDays,
  type ReportResults,
  showDays,
  showPublishedReport,
  showReport,
} from '../../domain/report/queries.ts'
import type { ChartKind } from '../../domain/report/report.ts'
import { checkConditionCount, splitPairs } from '../../domain/response/filter/filter.ts'
import type { ResponseSearch } from '../../domain/response/list/queries.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { textContextOf } from '../filter/fields.ts'
import type { FilterPage } from '../filter/filter-page.ts'
import {
  firstPage,
  formatFilter,
  formatListQuery,
  type ListQuery,
  PAGE_PARAMETERS,
  parseListQuery,
} from '../filter/list-query.ts'
import { pageLocale } from '../i18n/page-locale.ts'
import type { FilterPathOf } from './chart-data.ts'
import type { Downloads } from './figure.ts'

/**
 * A request for a report. It comes from a user with access to the survey, or from a guest with the link and the
 * password of the report.
 */
export interface ReportRequest {
  context: Context
  survey: { id: number; name: string; live: boolean; responses: number }
  title: string
  /** The stored design of the report. */
  design: {
    questions?: readonly string[] | null
    charts: Readonly<Record<string, ChartKind>>
    query: string
    shareTextAnswers: boolean
  }
  /** The path of the report, with a slash at the end. */
  basePath: string
  /** The filter and the language in the URL; guests have no filter. */
  listQuery: ListQuery
  /** Whether the reader may view the responses of the survey. Such a reader may filter the report. */
  isMember: boolean
  /** The anonymity threshold, if the reader sees published figures only. */
  threshold?: number | undefined
}

/**
 * Reads the filter and the language in a URL.
 * @param search the raw query string
 * @param isMember whether the reader may view responses. The filter of another reader is ignored, because filters would
 *   reveal the answers of a single respondent.
 * @throws {Problem} `invalid_request` for too many conditions
 */
export function readReportQuery(search: string, isMember: boolean): ListQuery {
  const query = parseListQuery(search)
  if (!isMember) return { ...query, conditions: [], filter: undefined, weighted: false }
  checkConditionCount(query.conditions)
  return query
}

/**
 * Returns whether text answers are shown. Readers who may view responses always see them; others only if the report
 * shares text answers.
 */
export const showsTexts = ({ isMember, design }: Pick<ReportRequest, 'isMember' | 'design'>): boolean =>
  isMember || design.shareTextAnswers

/** Returns whether the URL contains a filter, which is applied in addition to the filter of the stored report. */
export const isFiltered = ({ listQuery: { conditions, filter } }: Pick<ReportRequest, 'listQuery'>): boolean =>
  conditions.length > 0 || filter !== undefined

/** Returns whether the figures of the report are weighted. */
export const isWeighted = ({ listQuery }: Pick<ReportRequest, 'listQuery'>): boolean => listQuery.weighted === true

/** Converts the filter in the URL to the search that selects the responses. */
export const responseSearch = (query: ListQuery): ResponseSearch => ({
  search: formatFilter(query),
  mode: 'strict',
  parameters: PAGE_PARAMETERS,
  filter: query.filter,
})

/** @throws {Problem} `invalid_request` for conditions that do not fit the survey */
export const resultsFor = ({
  context,
  survey,
  design,
  listQuery,
  threshold,
}: ReportRequest): Promise<ReportResults & Partial<PublishedResults>> =>
  threshold === undefined
    ? showReport(context, survey.id, design, responseSearch(listQuery), { weighted: isWeighted({ listQuery }) })
    : showPublishedReport(context, survey.id, design)

/** @throws {Problem} as {@link resultsFor}; `report_not_found` if the reader sees published figures only */
export async function daysFor({ context, survey, design, listQuery, threshold }: ReportRequest): Promise<ReportDays> {
  if (threshold !== undefined) throw problems.reportNotFound()
  return showDays(context, survey.id, design, responseSearch(listQuery), pageLocale().timeZone)
}

/**
 * Returns the address of a page or file of the report, with the filter and the language of the current URL.
 * @param changes the changes to the filter and the language
 */
export const reportPath = (
  { basePath, listQuery }: ReportRequest,
  path = '',
  changes: Partial<ListQuery> = {},
): string => basePath + path + formatListQuery({ ...firstPage(listQuery), ...changes })

/** Returns the addresses of the files of a chart. */
export function downloadsOf(report: ReportRequest, path: string): Downloads {
  return {
    svg: reportPath(report, `${path}chart.svg`),
    png: reportPath(report, `${path}chart.png`),
    slide: reportPath(report, `${path}slide.png`),
    csv: reportPath(report, `${path}numbers.csv`),
  }
}

/** Returns the path of the files of a question's chart, relative to the report. */
export const chartPath = (questionId: string): string => `charts/${encodeURIComponent(questionId)}/`

/** Returns a function that returns the URL of the report with conditions added to its filter. */
export const filterPathOf =
  (report: ReportRequest): FilterPathOf =>
  (added) =>
    report.isMember
      ? reportPath(report, '', { conditions: [...new Set([...report.listQuery.conditions, ...splitPairs(added)])] })
      : undefined

/** Returns the data of the report from which the filter form and the filter chips are rendered. */
export const filterPageOf = ({ basePath, listQuery }: ReportRequest, snapshot: SurveySnapshot): FilterPage => ({
  listPath: basePath,
  listQuery,
  snapshot,
  textContext: textContextOf(snapshot.questionnaire, listQuery.language),
})
