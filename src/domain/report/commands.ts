import type { Context } from '../context.ts'
import { enqueueWebhookEvent } from '../event.ts'
import { checkName } from '../name.ts'
import { findSnapshot, lockSurvey } from '../survey/queries.ts'
import { checkDesign, DEFAULT_DESIGN, type ReportDesign } from './design.ts'
import { findReport } from './queries.ts'
import { Report } from './report.ts'

/**
 * Creates a report on a survey and enqueues its webhook event.
 * @param design absent: all questions with their default charts
 * @throws {Problem} `survey_not_found`, `invalid_request`
 */
export async function createReport(
  context: Context,
  surveyId: number,
  title: string,
  design: ReportDesign = DEFAULT_DESIGN,
): Promise<Report> {
  const { em, now } = context
  const checkedTitle = checkName(title, 'title')
  const { questionnaire } = await findSnapshot(context, surveyId, 'Analyze')
  const checkedDesign = checkDesign(questionnaire, design)
  const survey = await lockSurvey(context, surveyId, 'Analyze')
  const report = em.create(Report, { survey, title: checkedTitle, ...checkedDesign, createdAt: now })
  await em.flush()
  const { username } = await survey.owner.loadOrFail()
  const { slug, owner } = survey
  await enqueueWebhookEvent(context, {
    type: 'report_create',
    survey: { id: survey.id, ownerId: owner.id, slug, username },
    reportId: report.id,
  })
  return report
}

/**
 * Changes the title and the design of a report.
 * @throws {Problem} `survey_not_found`, `report_not_found`, `invalid_request`
 */
export async function updateReport(
  context: Context,
  surveyId: number,
  id: number,
  draft: ReportDesign & { title: string },
): Promise<Report> {
  const report = await findReport(context, surveyId, id)
  const title = checkName(draft.title, 'title')
  const { questionnaire } = await findSnapshot(context, surveyId, 'Analyze')
  Object.assign(report, checkDesign(questionnaire, draft), { title })
  await context.em.flush()
  return report
}

/**
 * Deletes a report. Responses are kept.
 * @throws {Problem} `survey_not_found`, `report_not_found`
 */
export async function deleteReport(context: Context, surveyId: number, id: number): Promise<void> {
  context.em.remove(await findReport(context, surveyId, id))
  await context.em.flush()
}
