import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { appendChanges, lockFeed } from '../../survey/feed.ts'
import { ACROSS_SURVEYS, type Tables } from '../../tables.ts'
import { REVISION } from './history.ts'

/**
 * Erases the identity of a person from the responses to the actor's surveys. Responses with the email address (ignoring
 * case) lose the email address, name, username, IP address, referrer and GET variables, also in the trash. Answers are kept. Appends to
 * the change feed of each survey. Call it in a transaction.
 * @returns the number of changed responses
 */
export async function anonymizeRespondent({ em, actor, now }: Context, email: string): Promise<number> {
  const db = em.getKysely<Tables>()
  const owned = db.selectFrom('survey').select('id').where('owner_id', '=', actor.id)
  const surveys = await db
    .selectFrom('response')
    .modifyFront(sql.raw(ACROSS_SURVEYS))
    .select('survey_id')
    .distinct()
    .where('survey_id', 'in', owned)
    .where(hasEmail(email))
    .orderBy('survey_id')
    .execute()
  let count = 0
  for (const { survey_id: surveyId } of surveys) count += await anonymizeIn(db, surveyId, email, now)
  return count + (await anonymizeTrash(db, actor.id, email))
}

/** Erases the identity from responses in the trash. @returns their number */
async function anonymizeTrash(db: Kysely<Tables>, ownerId: number, email: string): Promise<number> {
  const isTheirs = sql<boolean>`kind = ${REVISION.deleted} and lower(before#>>'{row,invite_email}') = lower(${email})`
  const surveys = await db
    .selectFrom('response_revision')
    .modifyFront(sql.raw(ACROSS_SURVEYS))
    .select('survey_id')
    .distinct()
    .where('survey_id', 'in', db.selectFrom('survey').select('id').where('owner_id', '=', ownerId))
    .where(isTheirs)
    .execute()
  let count = 0
  for (const { survey_id } of surveys) {
    const { numUpdatedRows } = await db
      .updateTable('response_revision')
      .set({ before: sql`jsonb_set(before, '{row}', before->'row' || ${JSON.stringify(ERASED)}::jsonb)` })
      .where('survey_id', '=', survey_id)
      .where(isTheirs)
      .executeTakeFirstOrThrow()
    count += Number(numUpdatedRows)
  }
  return count
}

/** What replaces the data about a person. */
const ERASED = {
  invite_email: null,
  invite_name: null,
  username: '',
  ip_address: '',
  referrer: null,
  get_variables: null,
} as const

const hasEmail = (email: string) => sql<boolean>`invite_email is not null and lower(invite_email) = lower(${email})`

async function anonymizeIn(db: Kysely<Tables>, surveyId: number, email: string, now: Date): Promise<number> {
  await lockFeed(db, surveyId)
  const rows = await db
    .updateTable('response')
    .set({ ...ERASED, updated_at: now })
    .where('survey_id', '=', surveyId)
    .where(hasEmail(email))
    .returning(['id', 'collector_id'])
    .execute()
  const changed = rows.map((row) => ({ id: row.id, collectorId: row.collector_id })).sort((a, b) => a.id - b.id)
  await appendChanges(db, surveyId, changed, 'edited', now)
  return rows.length
}
