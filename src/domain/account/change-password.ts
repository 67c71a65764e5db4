import type { Context, PublicContext } from '../context.ts'
import { enqueue } from '../jobs.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { Account } from './account.ts'
import { authenticateByPassword, findAccountByLogin, lockPasswordRow, mayUsePassword } from './credentials.ts'
import type { LoginOrigin } from './login-throttle.ts'
import { deleteOneTimeTokens, issueOneTimeToken, redeemOneTimeToken } from './one-time-token.ts'
import { checkPassword, hashPassword } from './password.ts'
import { endSessions, isConfirmed, revokeAllGrants } from './session.ts'

/** The access that a change of the password does not revoke. */
interface RetainedAccess {
  /** Id of the session that stays signed in. If absent, all sessions end. */
  session?: number
  /** Whether authorized applications keep their access. */
  applications: boolean
}

/**
 * Changes the password of the actor, and revokes the access that was granted with the old password.
 * @throws {Problem} `invalid_request`, `too_many_attempts`, `too_many_requests`
 */
export async function changePassword(
  context: Context,
  { current, newPassword }: { current: string; newPassword: string },
  kept: RetainedAccess,
  origin: LoginOrigin,
): Promise<void> {
  await verifyCurrentPassword(context, current, origin)
  checkPassword(newPassword, [context.actor.username, context.actor.email])
  await setPassword(context, context.actor.id, newPassword, kept)
}

/**
 * Sets the password of an account and revokes all one-time tokens, sessions and OAuth grants that `kept` does not name
 * (RFC 9700, 4.14.2). API keys stay valid, because they are separate credentials that users manage on a separate page.
 */
export async function setPassword(
  context: PublicContext,
  id: number,
  newPassword: string,
  kept: RetainedAccess,
): Promise<void> {
  const { em } = context
  // One-time tokens are deleted before the sessions. A login link that is opened at the same time is then either
  // invalid, or creates a session that is ended below.
  await deleteOneTimeTokens(context, id)
  const account = await em.findOneOrFail(Account, id, { failHandler: problems.userNotFound })
  account.passwordHash = await hashPassword(newPassword)
  await em.flush()
  await endSessions(context, id, kept.session)
  if (!kept.applications) await revokeAllGrants(context, id)
  await recordSecurityEvent(context, id, 'password_changed')
  await context.services.invalidateCredentials(em, [id])
  await notifyOwner(context, id, {
    to: account.email,
    name: 'password_changed',
    values: { url: `${context.services.baseUrl}/accounts/password/` },
  })
}

/**
 * Verifies the current password of the actor and locks the account row until the commit. Instead of the password, a new
 * sign-in at the OpenID provider is sufficient.
 * @param field the name of the request field that contains the password
 * @throws {Problem} `invalid_request` with an error in this field for a wrong password, `too_many_attempts`,
 *   `too_many_requests`
 */
export async function verifyCurrentPassword(
  context: Context,
  password: string,
  origin: LoginOrigin,
  field = 'current',
): Promise<void> {
  if (password === '' && origin.session !== undefined && (await isConfirmed(context, origin.session))) return
  try {
    await lockPasswordRow(context, await authenticateByPassword(context, context.actor.username, password, origin))
  } catch (error) {
    if ((error as { code?: string }).code !== 'unauthenticated') throw error
    throw problems.invalidField(field, 'wrong_password')
  }
}

/** Maximum number of valid links for an account. While an account has this many, further requests send no email. */
const MAX_PENDING_LINKS = 3

/** Maximum length of a username or an email address. */
const MAX_NAME_CHARACTERS = 320

/**
 * Queues an email with a link to reset a password. A job looks the account up, so that neither the HTTP response nor
 * its duration reveals whether the account exists.
 */
export const requestPasswordReset = (context: PublicContext, name: string): Promise<void> =>
  enqueue(context, 'request-password', { name: name.slice(0, MAX_NAME_CHARACTERS) })

/** Sends the password reset email, if the account exists. Inside a transaction, the email is sent after the commit. */
export async function sendPasswordResetEmail(context: PublicContext, name: string): Promise<void> {
  const account = await findAccountByLogin(context.em, name)
  if (!account || account.disabledAt || !mayUsePassword(context.services, account)) return
  const { pending } = await context.em
    .getKysely<Tables>()
    .selectFrom('account_link')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('account_id', '=', account.id)
    .where('purpose', '=', 'password')
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirstOrThrow()
  if (pending >= MAX_PENDING_LINKS) return
  const token = await issueOneTimeToken(context, account.id, 'password')
  await notifyOwner(context, account.id, {
    name: 'password_reset',
    values: { url: `${context.services.baseUrl}/accounts/password/new/?key=${token}` },
  })
}

/**
 * Redeems the token of a reset link: sets a new password, and revokes the access that was granted with the old
 * password.
 * @throws {Problem} `link_expired`; `invalid_request` if the password is not acceptable (the link then stays valid)
 */
export async function resetPassword(
  context: PublicContext,
  token: string,
  password: string,
  kept: Pick<RetainedAccess, 'applications'>,
): Promise<void> {
  const { accountId } = await redeemOneTimeToken(context, 'password', token)
  const { username, email } = await context.em.findOneOrFail(Account, accountId, { failHandler: problems.userNotFound })
  // An error rolls the transaction back, so the link stays valid.
  checkPassword(password, [username, email])
  await setPassword(context, accountId, password, kept)
}
