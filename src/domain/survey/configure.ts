import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { problems } from '../problem.ts'
import { recordActivity } from '../security/record.ts'
import { checkAnonymizable } from './anonymity.ts'
import { anonymizeSurvey, hasResponses } from './anonymize.ts'
import { parseSettings, protectSecrets } from './parse-settings.ts'
import { findSurvey, lockSurvey } from './queries.ts'
import { recordSettings } from './save-version.ts'
import { defaultSettings, type SettingsChange, type SurveySettings } from './settings.ts'
import type { Survey } from './survey.ts'

/** All settings of a survey, and whether it is open. */
export interface Configuration {
  live: boolean
  settings: SurveySettings
}

/**
 * Returns the settings of a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findConfiguration(context: Context, id: number): Promise<Configuration> {
  const { live, settings } = await findSurvey(context, id, 'Edit')
  return { live, settings: { ...defaultSettings, ...settings } }
}

/**
 * Changes settings of a survey. Absent members are not changed. Turning on anonymity erases the identity of earlier
 * respondents.
 * @throws {Problem} `survey_not_found`, `forbidden` (`live` requires the role Publish, `approval_required` the owner), `invalid_request`;
 *   `anonymity_locked` if anonymity would be turned off although there are responses
 */
export async function updateConfiguration(
  context: Context,
  id: number,
  { live, ...change }: SettingsChange & { live?: boolean | undefined },
): Promise<Configuration> {
  const { em, now, services } = context
  if (live !== undefined) await authorize(context, id, 'Publish')
  const changesOnlyLive = live !== undefined && Object.values(change).every((value) => value === undefined)
  const permission = changesOnlyLive ? 'Member' : 'Edit'
  const survey = await lockSurvey(context, id, permission)
  const before = { ...defaultSettings, ...survey.settings }
  const { live: wasLive } = survey
  if (change.approval_required !== undefined && change.approval_required !== before.approval_required)
    await authorize(context, id, 'Owner')
  const parsed = parseSettings(change, before)
  if (before.anonymous && !parsed.settings.anonymous && (await hasResponses(context, id)))
    throw problems.anonymityLocked()
  if (parsed.settings.anonymous && !before.anonymous) {
    await checkAnonymizable(context, survey, 'anonymous')
    await anonymizeSurvey(context, survey)
  }
  survey.configure(await protectSecrets(services, parsed), now)
  if (live !== undefined) survey.setLive(live, now)
  await em.flush()
  await recordSettings(context, survey, { live: wasLive, settings: before })
  await recordChanges(context, survey, before, survey.settings)
  return { live: survey.live, settings: survey.settings }
}

/**
 * The protections of a survey and its respondents, each with a function that returns whether a change of settings
 * removes the protection.
 */
const PROTECTIONS: Readonly<Record<string, (before: SurveySettings, after: SurveySettings) => boolean>> = {
  password: (before, after) => before.password_hash !== null && after.password_hash === null,
  anonymous: (before, after) => before.anonymous && !after.anonymous,
  anonymity_threshold: (before, after) => after.anonymity_threshold < before.anonymity_threshold,
  approval_required: (before, after) => before.approval_required && !after.approval_required,
  invite_only: (before, after) => before.invite_only && !after.invite_only,
  one_per_invite: (before, after) => before.one_per_invite && !after.one_per_invite,
  custom_authentication: ({ custom_authentication: before }, { custom_authentication: after }) =>
    before.enabled && (!after.enabled || before.endpoint_uri !== after.endpoint_uri),
}

/** Records which settings changed, and which protections this removes, if any. */
async function recordChanges(
  context: Context,
  { id }: Survey,
  before: SurveySettings,
  after: SurveySettings,
): Promise<void> {
  const weakened = Object.keys(PROTECTIONS).filter((name) => PROTECTIONS[name]!(before, after))
  const changed = (Object.keys(after) as (keyof SurveySettings)[]).filter(
    (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
  )
  if (changed.length > 0) await recordActivity(context, id, 'settings_changed', { settings: changed })
  if (weakened.length > 0) await recordActivity(context, id, 'survey_weakened', { settings: weakened })
}
