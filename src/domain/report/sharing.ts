import { seal, unseal } from '../../lib/seal.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Services } from '../services.ts'
import { lockSurvey } from '../survey/queries.ts'
import { MIN_SHARED_PASSWORD_CHARACTERS } from '../survey/setting-parsers.ts'
import type { Survey } from '../survey/survey.ts'

const PURPOSE = 'password of shared reports'
const LONGEST = 1_000

/**
 * The password with which others may see the reports of a survey; '' for none. It is given back to the owner, so it is
 * kept sealed and not hashed; sealed under a key that has been replaced it counts as none.
 */
export const sharingPasswordOf = (
  { secretKey }: Pick<Services, 'secretKey'>,
  { reportPasswordSealed }: Survey,
): string => (reportPasswordSealed && unseal(secretKey, PURPOSE, reportPasswordSealed)) || ''

/** Sets that password; an empty one takes it away. @throws {Problem} `survey_not_found`, `invalid_request` */
export async function shareReports(context: Context, surveyId: number, password: string): Promise<Survey> {
  const { em, services } = context
  if (password.length > LONGEST) throw problems.invalidField('sharing_password', 'too_long', { max: LONGEST })
  const survey = await lockSurvey(context, surveyId, 'Analyze')
  const isNew = password !== sharingPasswordOf(services, survey)
  if (isNew && password !== '' && password.length < MIN_SHARED_PASSWORD_CHARACTERS)
    throw problems.invalidField(
      'sharing_password',
      'weak_password',
      { min: MIN_SHARED_PASSWORD_CHARACTERS },
      `must be at least ${MIN_SHARED_PASSWORD_CHARACTERS} characters, or empty to stop sharing`,
    )
  survey.reportPasswordSealed = password === '' ? null : seal(services.secretKey, PURPOSE, password)
  await em.flush()
  if (password !== '' && isNew) {
    const details = { survey: surveyId, by: context.actor.id, settings: ['shared reports'] }
    await recordSecurityEvent(context, survey.owner.id, 'survey_weakened', details)
  }
  return survey
}
