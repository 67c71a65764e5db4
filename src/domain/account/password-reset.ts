import type { PublicContext } from '../context.ts'
import { enqueue } from '../jobs.ts'
import { problems } from '../problem.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { Account } from './account.ts'
import { type RetainedAccess, setPassword } from './change-password.ts'
import { findAccountByLogin } from './credentials.ts'
import { issueOneTimeToken, redeemOneTimeToken } from './one-time-token.ts'
import { checkPassword } from './password.ts'

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
  if (!account) return
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
    values: { username: account.username, url: `${context.services.baseUrl}/accounts/password/new/?key=${token}` },
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
