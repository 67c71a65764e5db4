import { findReport } from '../../../domain/report/queries.ts'
import { thresholdFor } from '../../../domain/report/reader.ts'
import { DEFAULT_DESIGN } from '../../../domain/report/report.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { t } from '../../i18n/t.ts'
import { type ReportRequest, readReportQuery } from '../../report/report-request.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/**
 * The URL of the built-in report contains this text instead of a report ID. The built-in report shows all questions.
 */
export const ALL_ANSWERS = 'all'

/** Returns the path of the list of reports. */
export const reportsPath = ({ root }: Pick<SurveyRequest, 'root'>): string => `${root}reports/`

/**
 * Finds the report that the URL identifies.
 * @throws {Problem} `survey_not_found`, `forbidden`, `report_not_found`
 */
export async function readReportRequest(request: SurveyRequest): Promise<ReportRequest> {
  const { context, survey, params, ctx } = request
  const id = params.report ?? ''
  const threshold = thresholdFor(context, await findSnapshot(context, survey.id, 'Report'))
  const isMember = threshold === undefined
  const common = {
    context,
    survey,
    basePath: `${reportsPath(request)}${id}/`,
    isMember,
    threshold,
    listQuery: readReportQuery(ctx.querystring, isMember),
  }
  if (id === ALL_ANSWERS) return { ...common, title: t('All answers'), design: DEFAULT_DESIGN }
  const report = await findReport(context, survey.id, parseId(id))
  return { ...common, title: report.title, design: report }
}
