import { plainDesign } from '../../../domain/report/design.ts'
import { findReport } from '../../../domain/report/queries.ts'
import { type Looking, lookedAt } from '../../report/report-request.ts'
import { idIn } from '../../session.ts'
import type { SurveyVisit } from '../surveys/frame.ts'

/** The address of the view that shows everything, which nobody has to make. */
export const EVERYTHING = 'all'

/** Where the reports of a survey begin. */
export const reportsRoot = ({ root }: Pick<SurveyVisit, 'root'>): string => `${root}reports/`

/**
 * The report that an address names, as it is looked at.
 * @throws {Problem} `survey_not_found`, `forbidden`, `report_not_found`
 */
export async function lookAt(visit: SurveyVisit): Promise<Looking> {
  const { context, survey, params, query, ctx } = visit
  const name = params.report ?? ''
  const at = { context, survey, base: `${reportsRoot(visit)}${name}/`, own: true, ...lookedAt(query, ctx.search, true) }
  if (name === EVERYTHING) return { ...at, title: 'All answers', design: plainDesign }
  const report = await findReport(context, survey.id, idIn(name))
  return { ...at, title: report.title, design: report }
}
