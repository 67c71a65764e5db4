import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { appendChanges, lockFeed } from '../../survey/feed.ts'
import type { Tables } from '../../tables.ts'

/**
 * Takes out of the responses to the actor's surveys who a person is: all responses that are bound to an e-mail address, in
 * any case, lose that address, the name beside it, user name, IP address, referrer and GET variables. The answers stay.
 * The feed of each survey tells of the change. Call it inside a transaction.
 * @returns how many responses
 */
export async function anonymizeRespondent({ em, actor, now }: Context, email: string): Promise<number> {
  const db = em.getKysely<Tables>()
  const owned = db.selectFrom('survey').select('id').where('owner_id', '=', actor.id)
  const surveys = await db
    .selectFrom('response')
    .select('survey_id')
    .distinct()
    .where('survey_id', 'in', owned)
    .where(boundTo(email))
    .orderBy('survey_id')
    .execute()
  let forgotten = 0
  for (const { survey_id: surveyId } of surveys) forgotten += await forgetIn(db, surveyId, email, now)
  return forgotten
}

const boundTo = (email: string) => sql<boolean>`invite_email is not null and lower(invite_email) = lower(${email})`

async function forgetIn(db: Kysely<Tables>, surveyId: number, email: string, now: Date): Promise<number> {
  await lockFeed(db, surveyId)
  const rows = await db
    .updateTable('response')
    .set({
      invite_email: null,
      invite_name: null,
      username: '',
      ip_address: '',
      referrer: null,
      get_variables: null,
      updated_at: now,
    })
    .where('survey_id', '=', surveyId)
    .where(boundTo(email))
    .returning(['id', 'collector_id'])
    .execute()
  const touched = rows.map((row) => ({ id: row.id, collectorId: row.collector_id })).sort((a, b) => a.id - b.id)
  await appendChanges(db, surveyId, touched, 'edited', now)
  return rows.length
}
