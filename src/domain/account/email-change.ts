import { sql } from 'kysely'
import type { Context, PublicContext } from '../context.ts'
import { reserveEmailQuota } from '../email-quota.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { Account } from './account.ts'
import { deleteOneTimeTokens, findOneTimeToken, issueOneTimeToken, redeemOneTimeToken } from './one-time-token.ts'

/**
 * Sends a confirmation link to a new email address of the actor, and a message to the current address. Until the link
 * is opened, the current address remains the address of the account.
 * @throws {Problem} `invalid_request` if no mail server is configured, `email_taken`, `too_many_requests`
 */
export async function requestEmailChange(context: Context, email: string): Promise<void> {
  const { em, actor, services } = context
  if (!services.deliversMail) throw problems.invalidField('email', 'email_unavailable')
  const existing = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('id')
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', sql<string>`lower(${email})`))
    .executeTakeFirst()
  if (existing) throw problems.emailTaken()
  await deleteOneTimeTokens(context, actor.id, ['email'])
  await reserveEmailQuota(context, 1, context.now)
  const key = await issueOneTimeToken(context, actor.id, 'email', email)
  await notifyOwner(context, actor.id, {
    to: email,
    name: 'email_confirmation',
    values: { url: `${services.baseUrl}/accounts/email/?key=${key}` },
  })
  await notifyOwner(context, actor.id, {
    to: actor.email,
    name: 'email_change_requested',
    values: { email, url: `${services.baseUrl}/account/` },
  })
}

/** Returns the new email address that the actor has not confirmed yet; undefined for none. */
export async function findPendingEmail({ em, actor, now }: Context): Promise<string | undefined> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('account_link')
    .select('email')
    .where('account_id', '=', actor.id)
    .where('purpose', '=', 'email')
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return row?.email ?? undefined
}

/** Cancels a pending change of the email address; the confirmation link stops working. */
export const cancelEmailChange = (context: Context): Promise<void> =>
  deleteOneTimeTokens(context, context.actor.id, ['email'])

/**
 * Returns the account and the email address of a confirmation link, and does not redeem the link. Returns undefined for
 * an invalid link.
 */
export async function findEmailConfirmation(
  context: PublicContext,
  key: string,
): Promise<{ username: string; email: string } | undefined> {
  const link = await findOneTimeToken(context, 'email', key)
  const account = link && (await context.em.findOne(Account, link.accountId))
  return account && link.email ? { username: account.username, email: link.email } : undefined
}

/**
 * Replaces the email address of an account by the address to which a confirmation link was sent.
 * @throws {Problem} `link_expired`; `email_taken` (from a database constraint) if another account has taken the address
 *   in the meantime
 */
export async function confirmEmail(context: PublicContext, key: string): Promise<void> {
  const { accountId, email } = await redeemOneTimeToken(context, 'email', key)
  if (email) await setEmail(context, accountId, email)
}

/**
 * Sets the email address of an account, sends a message to the old address, and invalidates links that were sent to the
 * old address. Call it only for an address that is confirmed or set by the operator.
 */
export async function setEmail(context: PublicContext, accountId: number, email: string): Promise<void> {
  const { em, services } = context
  const account = await em.findOneOrFail(Account, accountId, { failHandler: problems.userNotFound })
  const old = account.email
  account.email = email
  await em.flush()
  await deleteOneTimeTokens(context, accountId)
  await recordSecurityEvent(context, accountId, 'email_changed')
  await services.invalidateCredentials(em, [accountId])
  await notifyOwner(context, accountId, {
    to: old,
    name: 'email_changed',
    values: { email, url: services.baseUrl },
  })
}
