import { type Kysely, sql } from 'kysely'
import { assertNotLastAdministrator } from '../account/administrator.ts'
import { verifyCurrentPassword } from '../account/change-password.ts'
import type { LoginOrigin } from '../account/login-throttle.ts'
import type { Context } from '../context.ts'
import { invalidateGroupSurveys } from '../group/access.ts'
import { problems } from '../problem.ts'
import { INSTALLATION } from '../security/chain.ts'
import { deleteActivity, deleteSecurityLog } from '../security/queries.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { lockFeedAndSurvey } from '../survey/feed.ts'
import { SURVEY_TABLES } from '../survey/trash.ts'
import { ACROSS_SURVEYS, type Tables } from '../tables.ts'
import { surveysOfOthers } from './hand-over.ts'

/** Maximum number of shared surveys that the error names. */
const MAX_NAMED_SURVEYS = 10

/** The number of objects of each kind deleted with an account. It contains no personal data. */
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
 * Deletes the account of the actor with all its surveys, responses, contacts, emails, keys, grants, applications,
 * webhooks with their log, groups, sessions and stored development mail. Objects of other accounts are kept. If the
 * actor saved versions of surveys of other accounts, these versions are attributed to the owner of the survey.
 * Questions of the library that a group of another account uses get the owner of the group. The deletion cannot be undone. Call it inside a transaction.
 * @throws {Problem} `surveys_shared` if other people work on a survey of the actor; `invalid_request` for a wrong password, `too_many_attempts`, `too_many_requests`
 */
export async function deleteAccount(context: Context, password: string, origin: LoginOrigin): Promise<AccountDeletion> {
  await verifyCurrentPassword(context, password, origin, 'password')
  return eraseAccount(context, context.actor.id)
}

/**
 * Deletes the account of the actor, as {@link deleteAccount} does, without a password.
 * @param by the id of the account that caused the deletion
 * @throws {Problem} `surveys_shared`; `forbidden` for the last administrator
 */
export async function eraseAccount(context: Context, by: number): Promise<AccountDeletion> {
  const { em, actor, now, services } = context
  await assertNotLastAdministrator(context, actor.id)
  const db = em.getKysely<Tables>()
  // The usual timeout of statements is too short for an account with millions of responses.
  await sql`set local statement_timeout = 0`.execute(db)
  const counts = await countOwned(db, actor.id)
  const surveys = await db.selectFrom('survey').select('id').where('owner_id', '=', actor.id).orderBy('id').execute()
  // A transaction that stores a response takes the same locks in the same order. Therefore no response is missed, and
  // no deadlock can occur.
  for (const { id } of surveys) await lockFeedAndSurvey(db, id)
  const shared = await surveysOfOthers(context, actor)
  if (shared.length > 0) throw problems.surveysShared(shared.slice(0, MAX_NAMED_SURVEYS).map(({ name }) => name))
  const addresses = services.deliversMail ? [] : await mailboxAddresses(context)
  await detach(context)
  await db.deleteFrom('account').where('id', '=', actor.id).execute()
  // Responses are deleted here, because they have no foreign key to the survey. With a foreign key, storing a response
  // would lock the row of the survey.
  for (const { id } of surveys)
    for (const table of SURVEY_TABLES) await db.deleteFrom(table).where('survey_id', '=', id).execute()
  for (const { id } of surveys) await deleteActivity(context, id)
  await deleteSecurityLog(context, actor.id)
  await recordSecurityEvent(context, INSTALLATION, 'account_deleted', { by, account: actor.id, ...counts })
  await services.invalidateCredentials(em, [actor.id])
  await services.mailer.deleteMessagesTo(addresses)
  return { deletedAt: now, accountId: actor.id, ...counts }
}

async function countOwned(db: Kysely<Tables>, id: number): Promise<Omit<AccountDeletion, 'deletedAt' | 'accountId'>> {
  const { rows: feeds } = await sql<{ responses: number }>`${sql.raw(ACROSS_SURVEYS)}
    select coalesce(sum(f.responses), 0)::bigint as responses from survey_feed f join survey s on s.id = f.survey_id
    where s.owner_id = ${id}`.execute(db)
  const { rows } = await sql<Omit<AccountDeletion, 'deletedAt' | 'accountId' | 'responses'>>`select
    (select count(*) from survey where owner_id = ${id}) as surveys,
    (select count(*) from contact where owner_id = ${id}) as contacts,
    (select count(*) from webhook where account_id = ${id}) as webhooks,
    (select count(*) from api_key where account_id = ${id} and revoked_at is null) as "apiKeys",
    (select count(*) from oauth_application where owner_id = ${id}) as applications,
    (select count(*) from account_group g where owner_id = ${id}
      and not exists (select from survey_team where group_id = g.id)) as groups`.execute(db)
  return { ...rows[0]!, responses: feeds[0]!.responses }
}

/**
 * Returns the addresses of the account and of its contacts. The messages that were sent to these addresses are deleted
 * from the development mailbox.
 */
async function mailboxAddresses({ em, actor }: Context): Promise<string[]> {
  const contacts = await em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select('email')
    .where('owner_id', '=', actor.id)
    .execute()
  return [actor.email, ...contacts.map(({ email }) => email)]
}

/**
 * Removes the account from objects of other accounts, and deletes the rows that no foreign key deletes with the
 * account.
 */
async function detach({ em, actor }: Context): Promise<void> {
  const db = em.getKysely<Tables>()
  await sql`update survey_version v set creator_id = s.owner_id from survey s
    where s.id = v.survey_id and v.creator_id = ${actor.id} and s.owner_id <> ${actor.id}`.execute(db)
  // Questions that a group uses stay in its library.
  await sql`update question_library q set owner_id = g.owner_id from account_group g
    where g.id = q.group_id and q.owner_id = ${actor.id} and g.owner_id <> ${actor.id}`.execute(db)
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
