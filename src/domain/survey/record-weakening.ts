import type { Context } from '../context.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { SurveySettings } from './settings.ts'
import type { Survey } from './survey.ts'

/**
 * The protections of a survey and its respondents, each with a function that returns whether a change of settings
 * removes the protection.
 */
const PROTECTIONS: Readonly<Record<string, (before: SurveySettings, after: SurveySettings) => boolean>> = {
  password: (before, after) => before.password_hash !== null && after.password_hash === null,
  anonymous: (before, after) => before.anonymous && !after.anonymous,
  invite_only: (before, after) => before.invite_only && !after.invite_only,
  one_per_invite: (before, after) => before.one_per_invite && !after.one_per_invite,
  custom_authentication: ({ custom_authentication: before }, { custom_authentication: after }) =>
    before.enabled && (!after.enabled || before.endpoint_uri !== after.endpoint_uri),
}

/** Records in the security log of the owner which protections a change of settings removes, if any. */
export async function recordWeakening(
  context: Context,
  survey: Survey,
  before: SurveySettings,
  after: SurveySettings,
): Promise<void> {
  const settings = Object.keys(PROTECTIONS).filter((name) => PROTECTIONS[name]!(before, after))
  if (settings.length === 0) return
  const details = { survey: survey.id, by: context.actor.id, settings }
  await recordSecurityEvent(context, survey.owner.id, 'survey_weakened', details)
}
