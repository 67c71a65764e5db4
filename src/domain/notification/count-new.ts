import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/** The responses to a survey that have become complete after a given change in the change feed. */
export interface NewResponses {
  number: number
  /** The ID of the newest of these responses; null if there is none. */
  latestId: number | null
  /** The number of the last change in the feed that is included in the count. */
  seq: number
}

/**
 * Counts the responses that have become complete after a given change in the change feed. Uses a single statement, so
 * that all numbers describe the survey at the same moment. Changes of versions before 0.9.6 do not say which edit
 * completed a response; then it is the one at the completion time after the creation, and for an anonymous response,
 * which has no completion time, any edit.
 * @param seq the number of the given change
 */
export async function countNewResponses(
  { em }: Pick<PublicContext, 'em'>,
  { id, collectors }: SurveySnapshot,
  seq: number,
): Promise<NewResponses> {
  const anonymous = [...collectors.values()].flatMap((each) => (each.settings.anonymous ? [each.id] : []))
  const { rows } = await sql<{ number: number; latest: number | null; seq: number | null }>`
    select count(distinct response.id) as number, max(response.id) as latest,
      (select seq from survey_feed where survey_id = ${id}) as seq
    from response_change as change join response on response.survey_id = change.survey_id and response.id = change.response_id
    where change.survey_id = ${id} and change.seq > ${seq} and response.completed = 1
      and (change.kind = 1 or change.kind = 2 and coalesce(change.completes,
        abs(extract(epoch from change.at - response.created_at) - response.completion_time) < 1
        or response.completion_time is null and response.collector_id = any(${anonymous}::bigint[])
      ))`.execute(em.getKysely<Tables>())
  const { number, latest, seq: last } = rows[0]!
  return { number, latestId: latest, seq: last ?? seq }
}
