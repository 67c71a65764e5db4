import { type Kysely, sql } from 'kysely'
import type { Answers, Quota } from '../../structure/questionnaire.ts'
import { matchingQuotas } from '../../structure/quota.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'

type Db = Kysely<Tables>

/** The limit that a response would exceed: a quota, or `max_responses` of the survey or the collector (`full`). */
export type LimitReached = { quota: Quota } | 'full'

/**
 * Returns whether the number of complete responses has reached `max_responses` of the survey or of the collector. If
 * the caller holds the lock of the feed, the result is valid until the commit.
 */
export async function isFull(db: Db, snapshot: SurveySnapshot, collectorId: number): Promise<boolean> {
  const ofSurvey = snapshot.settings.max_responses
  const ofCollector = snapshot.collectors.get(collectorId)?.settings.max_responses ?? null
  if (ofSurvey !== null && (await hasCompleteResponses(db, snapshot.id, ofSurvey))) return true
  return (
    ofCollector !== null && ofCollector !== ofSurvey && hasCompleteResponses(db, snapshot.id, ofCollector, collectorId)
  )
}

/**
 * Returns whether there are at least `minCount` complete responses. Counts them only if the survey has at least
 * `minCount` responses in total.
 */
async function hasCompleteResponses(
  db: Db,
  surveyId: number,
  minCount: number,
  collectorId?: number,
): Promise<boolean> {
  const feed = await db
    .selectFrom('survey_feed')
    .select('responses')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  if ((feed?.responses ?? 0) < minCount) return minCount <= 0
  let complete = db.selectFrom('response').select('id').where('survey_id', '=', surveyId).where('completed', '=', 1)
  if (collectorId !== undefined) complete = complete.where('collector_id', '=', collectorId)
  const { count } = await db
    .selectFrom(complete.limit(minCount).as('complete'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count >= minCount
}

/** Returns the first full quota. Call it under the lock of the survey's feed. */
export async function fullQuota(db: Db, surveyId: number, quotas: readonly Quota[]): Promise<Quota | undefined> {
  for (const quota of quotas) {
    const slots = db
      .selectFrom('response_quota')
      .select('response_id')
      .where('survey_id', '=', surveyId)
      .where('quota', '=', quota.name)
      .limit(quota.limit)
    const { count } = await db
      .selectFrom(slots.as('slots'))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= quota.limit) return quota
  }
  return undefined
}

/**
 * Counts a response towards the quotas that its answers match, and no longer towards other quotas.
 * @param answers undefined: the response counts towards no quota
 */
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
  const quotas = answers ? matchingQuotas(snapshot.questionnaire, answers) : []
  if (quotas.length === 0) return
  const rows = quotas.map(({ name }) => ({ survey_id: snapshot.id, quota: name, response_id: responseId }))
  await db
    .insertInto('response_quota')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns whether a response counts towards a quota. */
export async function hasQuotaSlot(db: Db, surveyId: number, responseId: number): Promise<boolean> {
  const slot = await db
    .selectFrom('response_quota')
    .select('quota')
    .where('survey_id', '=', surveyId)
    .where('response_id', '=', responseId)
    .limit(1)
    .executeTakeFirst()
  return slot !== undefined
}

/** Returns the number of responses that count towards each quota of a survey, by the name of the quota. */
export async function countByQuota(db: Db, surveyId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('response_quota')
    .select((eb) => ['quota', eb.fn.countAll<number>().as('count')])
    .where('survey_id', '=', surveyId)
    .groupBy('quota')
    .execute()
  return new Map(rows.map(({ quota, count }) => [quota, Number(count)]))
}

/**
 * Returns the number of responses that count towards each quota by the day of a time zone on which they were started,
 * from a moment on. Reads only the slots of responses after the last segment of the rollup that ends before this moment.
 */
export async function countRecentByQuota(
  db: Db,
  surveyId: number,
  { from, timeZone }: { from: Date; timeZone: string },
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const { rows } = await sql<{ quota: string; day: string; count: number }>`
    select quota, to_char(created_at at time zone ${timeZone}::text, 'YYYY-MM-DD') as day, count(*) as count
    from response_quota join response on response.survey_id = response_quota.survey_id and response.id = response_id
    where response_quota.survey_id = ${surveyId}::bigint and response.survey_id = ${surveyId}::bigint
      and created_at >= ${from.toISOString()}::timestamptz
      and response_id > (
        select coalesce(max(last_id), 0) from response_segment
        where survey_id = ${surveyId}::bigint and last_created < ${from.toISOString()}::timestamptz
      )
    group by 1, 2`.execute(db)
  return new Map(
    [...Map.groupBy(rows, ({ quota }) => quota)].map(([quota, days]) => [
      quota,
      new Map(days.map(({ day, count }) => [day, Number(count)])),
    ]),
  )
}
