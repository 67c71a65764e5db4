import type { Context, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { notifyOwner } from '../system-email.ts'
import { Account } from './account.ts'
import { authenticateByPassword, lockPasswordRow } from './credentials.ts'
import type { LoginOrigin } from './login-throttle.ts'
import { deleteOneTimeTokens } from './one-time-token.ts'
import { checkPassword, hashPassword } from './password.ts'
import { revokeAllGrants } from './revoke-grants.ts'
import { endSessions } from './session.ts'

/** The access that a change of the password does not revoke. */
export interface RetainedAccess {
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
    values: { username: account.username, url: `${context.services.baseUrl}/accounts/password/` },
  })
}

/**
 * Verifies the current password of the actor and locks the account row until the commit.
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
  try {
    await lockPasswordRow(context, await authenticateByPassword(context, context.actor.username, password, origin))
  } catch (error) {
    if ((error as { code?: string }).code !== 'unauthenticated') throw error
    throw problems.invalidField(field, 'wrong_password')
  }
}
