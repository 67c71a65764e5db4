import { type Kysely, sql } from 'kysely'
import { problems } from '../../problem.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { appendChanges, lockFeed, type Touched } from '../feed/feed.ts'
import type { NewResponse } from '../submit/submission-batcher.ts'

/** The columns that tell who a respondent is, emptied (decisions, section 7, "anonymous"). */
export const NO_IDENTITY = {
  username: '',
  ip_address: '',
  get_variables: null,
  referrer: null,
  invite_code: null,
  invite_email: null,
  invite_name: null,
} as const

const HOUR_MS = 3_600_000

/** Cuts a time to its hour (UTC): the only time that is kept of an anonymous response. */
export const hourOf = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)

/** Whether responses that come in by a collector are anonymous. */
export const isAnonymousAt = ({ collectors }: SurveySnapshot, collectorId: number): boolean =>
  collectors.get(collectorId)?.settings.anonymous === true

/** Returns a response without anything that tells who gave it: identity, and times finer than an hour. */
export const anonymizeIncoming = (incoming: NewResponse): NewResponse => ({
  ...incoming,
  createdAt: hourOf(incoming.createdAt),
  updatedAt: hourOf(incoming.updatedAt ?? incoming.createdAt),
  completionTime: null,
  username: '',
  ipAddress: '',
  getVariables: null,
  referrer: null,
  inviteCode: null,
  inviteEmail: null,
  inviteName: null,
})

/**
 * Refuses to count an anonymous response for a collector that identifies respondents: identity would show again.
 * @param field what the caller calls the collector
 * @throws {Problem} `invalid_request`
 */
export function checkMove(snapshot: SurveySnapshot, from: number, to: number | undefined, field: string): void {
  if (to !== undefined && to !== from && isAnonymousAt(snapshot, from) && !isAnonymousAt(snapshot, to))
    throw problems.invalidField(field, 'must be an anonymous collector: the response is anonymous')
}

/**
 * Erases what identifies the respondents of a survey who came by the given collectors: names, addresses, invitations,
 * the time taken, and every time finer than an hour. Invitations that were answered stay used. Call it inside a
 * transaction.
 */
export async function anonymizeResponses(
  db: Kysely<Tables>,
  surveyId: number,
  collectorIds: readonly number[],
  now: Date,
): Promise<void> {
  const collectors = sql`any(${collectorIds}::bigint[])`
  await lockFeed(db, surveyId)
  // A survey of a million responses takes longer than a request usually may.
  await sql`set local statement_timeout = 0`.execute(db)
  await sql`update invite set viewed_at = null, used_on = coalesce(used_on, (
      select max(r.updated_at)::date from response r where r.survey_id = invite.survey_id and r.invite_code = invite.code))
    where survey_id = ${surveyId} and collector_id = ${collectors}`.execute(db)
  const { rows } =
    await sql<Touched>`update response set username = '', ip_address = '', get_variables = null, referrer = null, invite_code = null,
      invite_email = null, invite_name = null, completion_time = null,
      created_at = date_trunc('hour', created_at, 'UTC'), updated_at = date_trunc('hour', updated_at, 'UTC')
    where survey_id = ${surveyId} and collector_id = ${collectors}
    returning id, collector_id as "collectorId"`.execute(db)
  await sql`update response_change set at = date_trunc('hour', at, 'UTC')
    where survey_id = ${surveyId} and at <> date_trunc('hour', at, 'UTC')`.execute(db)
  const touched = rows.sort((a, b) => a.id - b.id)
  await appendChanges(db, surveyId, touched, 'edited', hourOf(now))
  // The rollups know times; they are counted again.
  await db.deleteFrom('response_summary').where('survey_id', '=', surveyId).execute()
}
