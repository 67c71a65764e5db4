import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { checkName } from '../name.ts'
import { problems, within } from '../problem.ts'
import { checkAnonymizable } from '../survey/anonymity.ts'
import { anonymizeCollectors } from '../survey/anonymize.ts'
import { lockFeedAndSurvey } from '../survey/feed.ts'
import { parseSettings, protectSecrets } from '../survey/parse-settings.ts'
import { lockSurvey } from '../survey/queries.ts'
import { useOwnIds } from '../survey/response-ids.ts'
import { defaultSettings, type SettingsChange, type SurveySettings } from '../survey/settings.ts'
import { invalidateSurvey } from '../survey/snapshot.ts'
import type { Survey } from '../survey/survey.ts'
import type { Tables } from '../tables.ts'
import { Collector } from './collector.ts'
import { assertCollectorInSurvey, findCollector, summariseCollector } from './queries.ts'

/** The data of a new collector. */
export interface NewCollector {
  survey: number
  name: string
  live?: boolean | undefined
  /** Settings that replace those of the survey for this collector. */
  settings?: SettingsChange | null | undefined
}

/**
 * Creates a collector for a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function createCollector(context: Context, draft: NewCollector): Promise<Collector> {
  const { em, now } = context
  const name = checkName(draft.name)
  const survey = await lockSurvey(context, draft.survey, 'Deploy')
  const settings = await overrides(context, survey, {}, draft.settings)
  await prepareAnonymity(context, survey, {}, settings)
  const collector = em.create(Collector, { survey, name, live: draft.live ?? true, settings, createdAt: now })
  await em.flush()
  await invalidateSurvey(em, survey.id)
  return collector
}

/** A change of a collector. Absent members are not changed. */
export interface CollectorChange {
  name?: string | undefined
  live?: boolean | undefined
  /** Absent members are not changed; null removes all overrides. */
  settings?: SettingsChange | null | undefined
}

/**
 * Renames a collector, opens or closes it, or changes its overrides. If the collector becomes anonymous, the identity
 * of its earlier respondents is erased.
 * @throws {Problem} `collector_not_found`, `invalid_request`, `anonymity_locked`
 */
export async function updateCollector(context: Context, id: number, change: CollectorChange): Promise<void> {
  const { em } = context
  // The survey's row is locked before the collector is read, so that a concurrent change waits and then sees this
  // change.
  const { survey: owner, responses } = await summariseCollector(context, id)
  const survey = await lockSurvey(context, owner.id, 'Deploy')
  const collector = await findCollector(context, id)
  const settings = await overrides(context, survey, collector.settings, change.settings)
  if (responses && isAnonymous(survey, collector.settings) && !isAnonymous(survey, settings))
    throw problems.anonymityLocked()
  if (responses && !isAnonymous(survey, collector.settings) && isAnonymous(survey, settings))
    await anonymizeCollectors(context, survey, [id])
  await prepareAnonymity(context, survey, collector.settings, settings)
  if (change.name !== undefined) collector.name = checkName(change.name)
  if (change.live !== undefined) collector.live = change.live
  collector.settings = settings
  await invalidateSurvey(em, survey.id)
  await em.flush()
}

type Overrides = Partial<SurveySettings>

/**
 * Prepares a survey for an anonymous collector.
 * @throws {Problem} `invalid_request` if the survey has images on other websites
 */
async function prepareAnonymity(context: Context, survey: Survey, before: Overrides, after: Overrides): Promise<void> {
  if (!isAnonymous(survey, after) || isAnonymous(survey, before)) return
  await checkAnonymizable(context, survey, 'settings.anonymous')
  await useOwnIds(context, survey)
}

const isAnonymous = (survey: Survey, overridden: Overrides) => overridden.anonymous ?? survey.settings.anonymous

/**
 * Returns the overrides of a collector after a change has been applied.
 * @throws {Problem} `invalid_request`
 */
async function overrides(
  { services }: Context,
  survey: Survey,
  current: Overrides,
  change: SettingsChange | null | undefined,
): Promise<Overrides> {
  if (change === undefined) return current
  if (change === null) return {}
  const base = { ...defaultSettings, ...survey.settings }
  if (base.anonymous && change.anonymous === false && current.anonymous !== false)
    throw problems.invalidField(
      'settings.anonymous',
      'anonymity_locked',
      {},
      'must not be false, because the survey is anonymous',
    )
  // A report counts the responses of all collectors, and all collectors show the same structure.
  const { anonymity_threshold: _, approval_required: __, ...own } = change
  const parsed = within('settings', () => parseSettings(own, current, base))
  return protectSecrets(services, parsed, base)
}

/**
 * Deletes a collector of a given survey, see {@link deleteCollector}.
 * @throws {Problem} as {@link deleteCollector}, and `survey_not_found`, `invalid_request` if the id is missing,
 *   `collector_not_found` for a collector of another survey
 */
export async function deleteCollectorOf(context: Context, surveyId: number, id: number | undefined): Promise<void> {
  await authorize(context, surveyId, 'Deploy')
  if (id === undefined) throw problems.invalidField('id', 'missing_parameter')
  await assertCollectorInSurvey(context, surveyId, id)
  await deleteCollector(context, id)
}

/**
 * Deletes a collector without responses. A collector with responses can only be closed, because the responses refer to
 * the collector.
 * @throws {Problem} `collector_not_found`, `collector_default`, `collector_has_responses`
 */
export async function deleteCollector(context: Context, id: number): Promise<void> {
  const { em } = context
  const collector = await findCollector(context, id)
  if (collector.isDefault) throw problems.collectorDefault()
  const db = em.getKysely<Tables>()
  await lockFeedAndSurvey(db, collector.survey.id)
  await invalidateSurvey(em, collector.survey.id)
  const used = await db
    .selectFrom('response_count')
    .select('responses')
    .where('survey_id', '=', collector.survey.id)
    .where('collector_id', '=', id)
    .executeTakeFirst()
  if (used?.responses) throw problems.collectorHasResponses()
  em.remove(collector)
  await em.flush()
}
