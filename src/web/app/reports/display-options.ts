import { plainDesign } from '../../../domain/report/design.ts'
import { findReport } from '../../../domain/report/queries.ts'
import { lookedAt, type ReportRequest } from '../../report/report-request.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/frame.ts'

/** The address of the view that shows everything, which nobody has to make. */
export const EVERYTHING = 'all'

/** Where the reports of a survey begin. */
export const reportsRoot = ({ root }: Pick<SurveyRequest, 'root'>): string => `${root}reports/`

/**
 * The report that an address names, as it is looked at.
 * @throws {Problem} `survey_not_found`, `forbidden`, `report_not_found`
 */
export async function lookAt(request: SurveyRequest): Promise<ReportRequest> {
  const { context, survey, params, query, ctx } = request
  const name = params.report ?? ''
  const at = {
    context,
    survey,
    base: `${reportsRoot(request)}${name}/`,
    own: true,
    ...lookedAt(query, ctx.search, true),
  }
  if (name === EVERYTHING) return { ...at, title: 'All answers', design: plainDesign }
  const report = await findReport(context, survey.id, parseId(name))
  return { ...at, title: report.title, design: report }
}
