import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { checkName } from '../survey/accept.ts'
import { findSurvey } from '../survey/queries.ts'
import { outdateSurvey } from '../survey/revision.ts'
import type { Tables } from '../tables.ts'
import { Collector } from './collector.ts'
import { findCollector } from './queries.ts'

export interface NewCollector {
  survey: number
  name: string
  live?: boolean | undefined
}

/** Gives a survey one more way by which responses come in. @throws {Problem} `survey_not_found`, `invalid_request` */
export async function createCollector(context: Context, draft: NewCollector): Promise<Collector> {
  const { em, now } = context
  const name = checkName(draft.name)
  const survey = await findSurvey(context, draft.survey)
  const collector = em.create(Collector, { survey, name, live: draft.live ?? true, settings: {}, createdAt: now })
  await em.flush()
  await outdateSurvey(em, draft.survey)
  return collector
}

export interface CollectorChange {
  name?: string | undefined
  live?: boolean | undefined
}

/** Renames a collector, opens or closes it. @throws {Problem} `collector_not_found`, `invalid_request` */
export async function updateCollector(context: Context, id: number, change: CollectorChange): Promise<void> {
  const { em } = context
  const collector = await findCollector(context, id)
  if (change.name !== undefined) collector.name = checkName(change.name)
  if (change.live !== undefined) collector.live = change.live
  await outdateSurvey(em, collector.survey.id)
  await em.flush()
}

/**
 * As {@link deleteCollector}, where the caller names the survey too.
 * @throws {Problem} also `survey_not_found`, `invalid_request` without an id, `collector_not_found` when it is another's
 */
export async function deleteCollectorOf(context: Context, surveyId: number, id: number | undefined): Promise<void> {
  await findSurvey(context, surveyId)
  if (id === undefined) throw problems.invalidField('id', 'is required')
  const { survey } = await findCollector(context, id)
  if (survey.id !== surveyId) throw problems.collectorNotFound()
  await deleteCollector(context, id)
}

/**
 * Removes a collector that nothing has come in by. One that has responses can be closed instead: its responses say by
 * which way they came, and that would be lost.
 * @throws {Problem} `collector_not_found`, `collector_default`, `collector_used`
 */
export async function deleteCollector(context: Context, id: number): Promise<void> {
  const { em } = context
  const collector = await findCollector(context, id)
  if (collector.isDefault) throw problems.collectorDefault()
  await outdateSurvey(em, collector.survey.id)
  const used = await em
    .getKysely<Tables>()
    .selectFrom('response_count')
    .select('responses')
    .where('survey_id', '=', collector.survey.id)
    .where('collector_id', '=', id)
    .executeTakeFirst()
  if (used?.responses) throw problems.collectorUsed()
  em.remove(collector)
  await em.flush()
}
