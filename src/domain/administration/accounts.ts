import { sql } from 'kysely'
import { randomCode } from '../../lib/secrets.ts'
import { Account, toActor } from '../account/account.ts'
import { assertAdministrator, recordAdministration } from '../account/administrator.ts'
import { availableUsername, createAccount, setPlan } from '../account/commands.ts'
import { mayUsePassword } from '../account/credentials.ts'
import { issueOneTimeToken } from '../account/one-time-token.ts'
import { removeSecondFactor } from '../account/second-factor.ts'
import { eraseAccount } from '../account-data/delete.ts'
import { listOwnSurveys, takeOver } from '../account-data/hand-over.ts'
import type { Context, PublicContext } from '../context.ts'
import { readEmailAddress } from '../email-address.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import { INSTALLATION } from '../security/chain.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'

/** An account as administrators see it. */
export interface AccountSummary {
  id: number
  username: string
  name: string
  email: string
  createdAt: Date
  /** When the user last opened a page; null: no session is left. */
  seenAt: Date | null
  /** Up to {@link MAX_COUNTED_SURVEYS}, and one more if there are more. */
  surveys: number
  plan: string
  isDeveloper: boolean
  isAdministrator: boolean
  hasSecondFactor: boolean
  disabledAt: Date | null
}

export const MAX_COUNTED_SURVEYS = 1_000
/** Maximum number of accounts that a list counts, and to which its pages lead. */
export const MAX_COUNTED_ACCOUNTS = 10_000

/** The orders of a list, with the columns of each. */
const ORDERS = {
  newest: sql`a.id desc`,
  oldest: sql`a.id`,
  username: sql`lower(a.username)`,
  email: sql`lower(a.email)`,
}
export type AccountOrder = keyof typeof ORDERS

/** Which accounts a list contains. */
const STATES = {
  enabled: sql`a.disabled_at is null`,
  disabled: sql`a.disabled_at is not null`,
  administrator: sql`a.is_administrator`,
  developer: sql`a.is_developer`,
}
export type AccountState = keyof typeof STATES

export interface AccountSearch {
  /** A part of the username, the email address or the name. */
  text?: string
  state?: AccountState | undefined
  order?: AccountOrder
}

interface Row extends Omit<AccountSummary, 'createdAt' | 'seenAt' | 'disabledAt'> {
  createdAt: string
  seenAt: string | null
  disabledAt: string | null
}

const moment = (text: string | null): Date | null => (text === null ? null : new Date(text))

/** What a list shows of an account, read for the rows of one page only. */
const SUMMARY = sql`a.id, a.username, a.name, a.email, a.created_at as "createdAt", a.plan,
  a.is_developer as "isDeveloper", a.is_administrator as "isAdministrator", a.disabled_at as "disabledAt",
  (select max(seen_at) from session where account_id = a.id) as "seenAt",
  (select count(*)::integer from (select from survey where owner_id = a.id and deleted_at is null
    limit ${sql.lit(MAX_COUNTED_SURVEYS + 1)}) as counted) as surveys,
  exists (select from second_factor where account_id = a.id) as "hasSecondFactor"`

/** Returns accounts, for the command line. @param slice `limit` and `offset` */
export async function readAccounts(
  { em }: Pick<PublicContext, 'em'>,
  { text = '', state, order = 'newest' }: AccountSearch,
  { offset, limit }: { offset: number; limit: number },
): Promise<AccountSummary[]> {
  const { rows } = await sql<Row>`select ${SUMMARY} from account a where ${conditionOf(text, state)}
    order by ${ORDERS[order]} limit ${limit} offset ${offset}`.execute(em.getKysely())
  return rows.map(summaryOf)
}

const summaryOf = (row: Row): AccountSummary => ({
  ...row,
  createdAt: new Date(row.createdAt),
  seenAt: moment(row.seenAt),
  disabledAt: moment(row.disabledAt),
})

function conditionOf(text: string, state: AccountState | undefined) {
  const contains = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const matches = text ? sql`(a.username || ' ' || a.email || ' ' || a.name) ilike ${contains}` : sql`true`
  return state ? sql`${matches} and ${STATES[state]}` : matches
}

/**
 * Returns a page of accounts.
 * @returns `total`: at most {@link MAX_COUNTED_ACCOUNTS}, and one more if there are more, so that the time of the count
 *   is limited
 * @throws {Problem} `user_not_found` unless the actor is an administrator
 */
export async function listAccounts(
  context: Context,
  search: AccountSearch,
  slice: { offset: number; limit: number },
): Promise<{ total: number; accounts: AccountSummary[] }> {
  await assertAdministrator(context)
  const { text = '', state } = search
  const { rows } = await sql<{ total: number }>`select count(*)::integer as total from (
    select from account a where ${conditionOf(text, state)} limit ${MAX_COUNTED_ACCOUNTS + 1}) as counted`.execute(
    context.em.getKysely(),
  )
  const offset = Math.min(slice.offset, MAX_COUNTED_ACCOUNTS)
  return { total: rows[0]!.total, accounts: await readAccounts(context, search, { ...slice, offset }) }
}

/**
 * Returns an account.
 * @throws {Problem} `user_not_found`, also unless the actor is an administrator
 */
export async function describeAccount(context: Context, id: number): Promise<AccountSummary> {
  await assertAdministrator(context)
  const { rows } = await sql<Row>`select ${SUMMARY} from account a where a.id = ${id}`.execute(context.em.getKysely())
  if (!rows[0]) throw problems.userNotFound()
  return summaryOf(rows[0])
}

/** Returns an account, and locks it until the commit. @throws {Problem} `user_not_found`, also unless the actor is an administrator */
async function findForChange(context: Context, id: number): Promise<Account> {
  await assertAdministrator(context)
  const db = context.em.getKysely<Tables>()
  await db.selectFrom('account').select('id').where('id', '=', id).forNoKeyUpdate().execute()
  return context.em.findOneOrFail(Account, id, { failHandler: problems.userNotFound })
}

/** A link that was made for a person. */
export interface SentLink {
  accountId: number
  email: string
  /** The link, if the server cannot send email; it cannot be read again. */
  url: string | undefined
}

/** How many days the link of a new account is valid. */
export const INVITATION_DAYS = 7
const DAY_MS = 86_400_000
const UNUSABLE_PASSWORD_CHARACTERS = 40

/**
 * Creates an account for a person, who chooses a password with a link. Call it inside a transaction.
 * @throws {Problem} `invalid_request`, `username_taken`, `email_taken`; `user_not_found` unless the actor is an
 *   administrator
 */
export async function inviteAccount(
  context: Context,
  draft: { email: string; username: string; name: string; isDeveloper: boolean },
): Promise<SentLink> {
  await assertAdministrator(context)
  const email = readEmailAddress(draft.email)
  const account = await createAccount(context, {
    email,
    username: draft.username || (await availableUsername(context, email)),
    name: draft.name,
    password: randomCode(UNUSABLE_PASSWORD_CHARACTERS),
    isDeveloper: draft.isDeveloper,
  })
  await recordAdministration(context, context.actor.id, account.id, 'account_created')
  return sendLink(context, account, 'account_invitation')
}

/**
 * Makes a link with which the owner of an account sets a new password. Call it inside a transaction.
 * @throws {Problem} `user_not_found`, also for an account that does not sign in with a password; `forbidden` for a
 *   disabled account
 */
export async function sendPasswordLink(context: Context, id: number): Promise<SentLink> {
  const account = await findForChange(context, id)
  if (account.disabledAt || !mayUsePassword(context.services, account)) throw problems.userNotFound()
  await recordAdministration(context, context.actor.id, id, 'password_link_made')
  return sendLink(context, account, 'password_link')
}

async function sendLink(
  context: Context,
  { id, email }: Account,
  name: 'account_invitation' | 'password_link',
): Promise<SentLink> {
  const { actor, services } = context
  const lifetime = name === 'account_invitation' ? INVITATION_DAYS * DAY_MS : undefined
  const token = await issueOneTimeToken(context, id, 'password', null, lifetime)
  const url = `${services.baseUrl}/accounts/password/new/?key=${token}`
  if (!services.hasMailServer) return { accountId: id, email, url }
  const values = { url, administrator: actor.name || actor.username, days: String(INVITATION_DAYS) }
  await notifyOwner(context, id, { name, values })
  return { accountId: id, email, url: undefined }
}

/** Sets the plan of an account. @throws {Problem} `user_not_found`, `plan_not_found` */
export async function changePlan(context: Context, id: number, plan: string): Promise<void> {
  const account = await findForChange(context, id)
  if (account.plan === plan) return
  await setPlan(context, account, plan)
  await recordAdministration(context, context.actor.id, id, 'plan_changed', { plan })
}

/** Removes the second factor of a person who has lost it. @throws {Problem} `user_not_found` */
export async function resetSecondFactor(context: Context, id: number): Promise<void> {
  await findForChange(context, id)
  if (await removeSecondFactor(context, id))
    await recordAdministration(context, context.actor.id, id, 'second_factor_removed')
}

/**
 * Hands the surveys of an account over to another one, up to 200 at a time. Links, invitations and the access of
 * everyone else stay; the former owner has no access. Call it inside a transaction.
 * @returns the number of surveys
 * @throws {Problem} `user_not_found`; `invalid_request` in `email` if no other enabled account has the address
 */
export async function handOverSurveys(context: Context, id: number, written: string): Promise<number> {
  const from = await findForChange(context, id)
  const email = readEmailAddress(written)
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('id')
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', sql<string>`lower(${email})`))
    .where('id', '!=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw problems.invalidField('email', 'not_found', { value: email }, detail('no_account'))
  const to = await context.em.findOneOrFail(Account, row.id, { failHandler: problems.userNotFound })
  const owner: Context = { ...context, actor: toActor(from) }
  const surveys = await listOwnSurveys(owner, [])
  const change = { from: id, roles: [], by: context.actor.id }
  const taken = await takeOver({ ...context, actor: toActor(to) }, surveys, change)
  for (const survey of taken)
    await recordSecurityEvent(context, INSTALLATION, 'survey_handed_over', {
      survey: survey.id,
      by: context.actor.id,
      from: id,
      to: to.id,
    })
  return taken.length
}

/**
 * Erases an account with all its data, as its owner can. Call it inside a transaction.
 * @throws {Problem} `user_not_found`; `surveys_shared` if other people work on a survey of the account; `forbidden` for
 *   the account of the actor, and for the last administrator
 */
export async function eraseOtherAccount(context: Context, id: number): Promise<void> {
  const account = await findForChange(context, id)
  if (id === context.actor.id) throw problems.ownAccount()
  await eraseAccount({ ...context, actor: toActor(account) }, context.actor.id)
}
