import { seal, unseal } from '../../lib/secrets.ts'
import type { Context } from '../context.ts'
import { enqueueWebhookEvent } from '../event.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import type { Services } from '../services.ts'
import { findSnapshot, lockSurvey } from '../survey/queries.ts'
import { MIN_SHARED_PASSWORD_CHARACTERS } from '../survey/setting-parsers.ts'
import type { Survey } from '../survey/survey.ts'
import { findReport } from './queries.ts'
import { checkDesign, DEFAULT_DESIGN, Report, type ReportDesign } from './report.ts'

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
  const { questionnaire } = await findSnapshot(context, surveyId, 'Correct')
  const checkedDesign = checkDesign(questionnaire, design)
  const survey = await lockSurvey(context, surveyId, 'Correct')
  const report = em.create(Report, { survey, title: checkedTitle, ...checkedDesign, createdAt: now })
  await em.flush()
  const { username } = await survey.owner.loadOrFail()
  const { slug, owner } = survey
  await enqueueWebhookEvent(context, {
    type: 'report_create',
    survey: { id: survey.id, ownerId: owner.id, slug, username },
    reportId: report.id,
  })
  await recordActivity(context, surveyId, 'report_created', { report: report.id })
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
  const { questionnaire } = await findSnapshot(context, surveyId, 'Correct')
  Object.assign(report, checkDesign(questionnaire, draft), { title })
  await context.em.flush()
  return report
}

/**
 * Deletes a report. Responses are kept.
 * @throws {Problem} `survey_not_found`, `report_not_found`
 */
export async function deleteReport(context: Context, surveyId: number, id: number): Promise<void> {
  context.em.remove(await findReport(context, surveyId, id, 'Correct'))
  await context.em.flush()
  await recordActivity(context, surveyId, 'report_deleted', { report: id })
}

const SEAL_PURPOSE = 'password of shared reports'
const MAX_PASSWORD_CHARACTERS = 1_000

/**
 * Returns the password of a survey's shared reports; '' if there is none or it was encrypted with another key. The
 * password is encrypted instead of hashed, because the owner can read it.
 */
export const sharingPasswordOf = (
  { secretKey }: Pick<Services, 'secretKey'>,
  { reportPasswordSealed }: Survey,
): string => (reportPasswordSealed && unseal(secretKey, SEAL_PURPOSE, reportPasswordSealed)) || ''

/**
 * Sets the password of a survey's shared reports. An empty password stops sharing.
 * @throws {Problem} `survey_not_found`, `invalid_request`
 */
export async function shareReports(context: Context, surveyId: number, password: string): Promise<Survey> {
  const { em, services } = context
  if (password.length > MAX_PASSWORD_CHARACTERS)
    throw problems.invalidField('sharing_password', 'too_long', { max: MAX_PASSWORD_CHARACTERS })
  const survey = await lockSurvey(context, surveyId, 'Correct')
  const isNew = password !== sharingPasswordOf(services, survey)
  if (isNew && password !== '' && password.length < MIN_SHARED_PASSWORD_CHARACTERS)
    throw problems.invalidField(
      'sharing_password',
      'weak_password',
      { min: MIN_SHARED_PASSWORD_CHARACTERS },
      `must be at least ${MIN_SHARED_PASSWORD_CHARACTERS} characters, or empty to stop sharing`,
    )
  survey.reportPasswordSealed = password === '' ? null : seal(services.secretKey, SEAL_PURPOSE, password)
  await em.flush()
  if (password !== '' && isNew) {
    await recordActivity(context, surveyId, 'survey_weakened', { settings: ['shared reports'] })
  }
  return survey
}
