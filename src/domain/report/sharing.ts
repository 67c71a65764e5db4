import { seal, unseal } from '../../lib/secrets.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Services } from '../services.ts'
import { lockSurvey } from '../survey/queries.ts'
import { MIN_SHARED_PASSWORD_CHARACTERS } from '../survey/setting-parsers.ts'
import type { Survey } from '../survey/survey.ts'

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
  const survey = await lockSurvey(context, surveyId, 'Analyze')
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
    const details = { survey: surveyId, by: context.actor.id, settings: ['shared reports'] }
    await recordSecurityEvent(context, survey.owner.id, 'survey_weakened', details)
  }
  return survey
}
