import type { Kysely } from 'kysely'
import type { Answers, Quota } from '../../structure/questionnaire.ts'
import { quotasMet } from '../../structure/quota.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'

type Db = Kysely<Tables>

/** What keeps a response from counting as one more: a full quota, or the survey's or collector's `max_responses`. */
export type LimitReached = { quota: Quota } | 'full'

/**
 * Whether as many responses are complete as the settings allow: the survey's own bound over all of its responses, and
 * a bound of the collector's own over those that came through it. Holds until the commit only under the feed's lock.
 */
export async function isFull(db: Db, snapshot: SurveySnapshot, collectorId: number): Promise<boolean> {
  const ofSurvey = snapshot.settings.max_responses
  const ofCollector = snapshot.collectors.get(collectorId)?.settings.max_responses ?? null
  if (ofSurvey !== null && (await completeAtLeast(db, snapshot.id, ofSurvey))) return true
  return ofCollector !== null && ofCollector !== ofSurvey && completeAtLeast(db, snapshot.id, ofCollector, collectorId)
}

/** The number of all responses is at hand, so those that are complete are counted only when there can be enough. */
async function completeAtLeast(db: Db, surveyId: number, bound: number, collectorId?: number): Promise<boolean> {
  const feed = await db
    .selectFrom('survey_feed')
    .select('responses')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  if ((feed?.responses ?? 0) < bound) return bound <= 0
  let complete = db.selectFrom('response').select('id').where('survey_id', '=', surveyId).where('completed', '=', 1)
  if (collectorId !== undefined) complete = complete.where('collector_id', '=', collectorId)
  const { count } = await db
    .selectFrom(complete.limit(bound).as('complete'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count >= bound
}

/** The first quota these answers belong to that has no place left. Call it under the lock of the survey's feed. */
export async function fullQuota(db: Db, snapshot: SurveySnapshot, answers: Answers): Promise<Quota | undefined> {
  for (const quota of quotasMet(snapshot.questionnaire, answers)) {
    const taken = db
      .selectFrom('response_quota')
      .select('response_id')
      .where('survey_id', '=', snapshot.id)
      .where('quota', '=', quota.name)
      .limit(quota.limit)
    const { count } = await db
      .selectFrom(taken.as('taken'))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= quota.limit) return quota
  }
  return undefined
}

/** Gives up the places a response holds in quotas and takes those its answers belong to now; none without answers. */
export async function reserveQuotaSlots(
  db: Db,
  snapshot: SurveySnapshot,
  responseId: number,
  answers: Answers | undefined,
): Promise<void> {
  if (snapshot.questionnaire.quotas.length === 0) return
  await db
    .deleteFrom('response_quota')
    .where('survey_id', '=', snapshot.id)
    .where('response_id', '=', responseId)
    .execute()
  const met = answers ? quotasMet(snapshot.questionnaire, answers) : []
  if (met.length === 0) return
  const rows = met.map(({ name }) => ({ survey_id: snapshot.id, quota: name, response_id: responseId }))
  await db
    .insertInto('response_quota')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
