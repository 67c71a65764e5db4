import { type Kysely, sql } from 'kysely'
import { authenticateByPassword, lockPasswordRow } from '../account/credentials.ts'
import type { LoginOrigin } from '../account/login-throttle.ts'
import type { Context } from '../context.ts'
import { invalidateGroupSurveys } from '../group/invalidate-surveys.ts'
import { problems } from '../problem.ts'
import { INSTALLATION } from '../security/chain.ts'
import { deleteSecurityLog } from '../security/queries.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { SURVEY_TABLES } from '../survey/commands.ts'
import { lockFeedAndSurvey } from '../survey/feed.ts'
import type { Tables } from '../tables.ts'

/** How much of each kind was removed with an account. It names nobody. */
export interface AccountDeletion {
  deletedAt: Date
  accountId: number
  surveys: number
  responses: number
  contacts: number
  webhooks: number
  apiKeys: number
  applications: number
  groups: number
}

/**
 * Deletes the account of the actor with everything that belongs to it: surveys with their responses, contacts, e-mails, keys,
 * grants, applications, webhooks with their log, groups, sessions and files. What others own stays: surveys that were shared
 * with the actor keep their versions under the name of their owner. It cannot be undone. Call it inside a transaction.
 * @throws {Problem} `invalid_request` for a wrong password, `too_many_attempts`
 */
export async function deleteAccount(context: Context, password: string, origin: LoginOrigin): Promise<AccountDeletion> {
  const { em, actor, now, services } = context
  await checkPassword(context, password, origin)
  const db = em.getKysely<Tables>()
  // An account with millions of responses takes longer than a request usually may.
  await sql`set local statement_timeout = 0`.execute(db)
  const counts = await countOwned(db, actor.id)
  const surveys = await db.selectFrom('survey').select('id').where('owner_id', '=', actor.id).orderBy('id').execute()
  // Before the surveys, as whoever stores responses does: no response is left behind, and nobody waits crosswise.
  for (const { id } of surveys) await lockFeedAndSurvey(db, id)
  const addresses = services.deliversMail ? [] : await knownAddresses(context)
  await detach(context)
  await db.deleteFrom('account').where('id', '=', actor.id).execute()
  // Responses refer to no survey, so that storing one locks none.
  const ids = surveys.map(({ id }) => id)
  for (const table of SURVEY_TABLES)
    await db.deleteFrom(table).where('survey_id', '=', sql<number>`any(${ids}::bigint[])`).execute()
  await deleteSecurityLog(context, actor.id)
  await recordSecurityEvent(context, INSTALLATION, 'account_deleted', { account: actor.id, ...counts })
  await services.invalidateCredentials(em, [actor.id])
  await services.mailer.forget(addresses)
  return { deletedAt: now, accountId: actor.id, ...counts }
}

async function checkPassword(context: Context, password: string, origin: LoginOrigin): Promise<void> {
  try {
    await lockPasswordRow(context, await authenticateByPassword(context, context.actor.username, password, origin))
  } catch (error) {
    if ((error as { code?: string }).code !== 'unauthenticated') throw error
    throw problems.invalidField('password', 'wrong_password')
  }
}

async function countOwned(db: Kysely<Tables>, id: number): Promise<Omit<AccountDeletion, 'deletedAt' | 'accountId'>> {
  const { rows } = await sql<Omit<AccountDeletion, 'deletedAt' | 'accountId'>>`select
    (select count(*) from survey where owner_id = ${id}) as surveys,
    (select coalesce(sum(f.responses), 0)::bigint from survey_feed f join survey s on s.id = f.survey_id
      where s.owner_id = ${id}) as responses,
    (select count(*) from contact where owner_id = ${id}) as contacts,
    (select count(*) from webhook where account_id = ${id}) as webhooks,
    (select count(*) from api_key where account_id = ${id} and revoked_at is null) as "apiKeys",
    (select count(*) from oauth_application where owner_id = ${id}) as applications,
    (select count(*) from account_group where owner_id = ${id}) as groups`.execute(db)
  return rows[0]!
}

/** Whose letters may lie in the development mailbox. */
async function knownAddresses({ em, actor }: Context): Promise<string[]> {
  const contacts = await em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select('email')
    .where('owner_id', '=', actor.id)
    .execute()
  return [actor.email, ...contacts.map(({ email }) => email)]
}

/** Lets go of what others own, and of what no foreign key removes. */
async function detach({ em, actor }: Context): Promise<void> {
  const db = em.getKysely<Tables>()
  await sql`update survey_version v set creator_id = s.owner_id from survey s
    where s.id = v.survey_id and v.creator_id = ${actor.id} and s.owner_id <> ${actor.id}`.execute(db)
  const groups = await db
    .selectFrom('account_group')
    .select('id')
    .where('owner_id', '=', actor.id)
    .union(db.selectFrom('group_member').select('group_id as id').where('account_id', '=', actor.id))
    .orderBy('id')
    .execute()
  for (const { id } of groups) await invalidateGroupSurveys(em, id)
  await db
    .deleteFrom('webhook_delivery')
    .where('webhook_id', 'in', db.selectFrom('webhook').select('id').where('account_id', '=', actor.id))
    .execute()
  await sql`delete from pgboss.job where name = 'send-system-email' and data->>'account' = ${String(actor.id)}`.execute(
    db,
  )
}
