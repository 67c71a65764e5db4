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

/** What of the time before outlives a change of the password. */
export interface RetainedAccess {
  /** The session that goes on; absent: none does. */
  session?: number
  /** Whether applications that were let in stay in. */
  applications: boolean
}

/**
 * Gives the actor another password, and ends what the old one opened.
 * @throws {Problem} `invalid_request`, `too_many_attempts`
 */
export async function changePassword(
  context: Context,
  { current, wanted }: { current: string; wanted: string },
  kept: RetainedAccess,
  origin: LoginOrigin,
): Promise<void> {
  await verifyCurrentPassword(context, current, origin)
  checkPassword(wanted, [context.actor.username, context.actor.email])
  await setPassword(context, context.actor.id, wanted, kept)
}

/**
 * Puts another password in the place of the old one, and ends what that has opened: every link that waits, all sessions
 * but one, and, unless their owner wants otherwise, the grants of applications with their tokens (RFC 9700, 4.14.2, names
 * the change of a password as a reason). API keys stay: they are credentials by themselves, with a page of their own.
 */
export async function setPassword(
  context: PublicContext,
  id: number,
  wanted: string,
  kept: RetainedAccess,
): Promise<void> {
  const { em } = context
  // Before the sessions: of whoever comes by a link at this moment, either the link is gone or the session is seen.
  await deleteOneTimeTokens(context, id)
  const account = await em.findOneOrFail(Account, id, { failHandler: problems.userNotFound })
  account.passwordHash = await hashPassword(wanted)
  await em.flush()
  await endSessions(context, id, kept.session)
  if (!kept.applications) await revokeAllGrants(context, id)
  await recordSecurityEvent(context, id, 'password_changed')
  await context.services.invalidateCredentials(em, [id])
  await notifyOwner(context, id, {
    to: account.email,
    subject: 'Your password was changed',
    text: `The password for the account ${account.username} was changed.

If you did not change it, reset your password now:
${context.services.baseUrl}/accounts/password/
`,
  })
}

/** @throws {Problem} naming the field of the current password where it is wrong */
export async function verifyCurrentPassword(context: Context, password: string, origin: LoginOrigin): Promise<void> {
  try {
    await lockPasswordRow(context, await authenticateByPassword(context, context.actor.username, password, origin))
  } catch (error) {
    if ((error as { code?: string }).code !== 'unauthenticated') throw error
    throw problems.invalidField('current', 'wrong_password')
  }
}
