import type { PublicContext } from '../context.ts'
import { enqueue } from '../enqueue.ts'
import { problems } from '../problem.ts'
import { notifyOwner } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { Account } from './account.ts'
import { type RetainedAccess, setPassword } from './change-password.ts'
import { findAccountByLogin } from './credentials.ts'
import { issueOneTimeToken, redeemOneTimeToken } from './one-time-token.ts'
import { checkPassword } from './password.ts'

/** Links that may wait at the same time: nobody's mailbox is filled by pressing a button. */
const MAX_PENDING_LINKS = 3

/** No user name and no address is longer, in characters. */
const MAX_NAME_CHARACTERS = 320

/**
 * Has a link to choose a new password mailed to whoever is called so. Whether there is such an account is told to nobody,
 * by the time it takes neither: a job looks.
 */
export const requestPasswordReset = (context: PublicContext, name: string): Promise<void> =>
  enqueue(context, 'request-password', { name: name.slice(0, MAX_NAME_CHARACTERS) })

/** Mails the link, if there is such an account. In a transaction, the mail goes out when it commits. */
export async function sendPasswordResetEmail(context: PublicContext, name: string): Promise<void> {
  const account = await findAccountByLogin(context.em, name)
  if (!account) return
  const { waiting } = await context.em
    .getKysely<Tables>()
    .selectFrom('account_link')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('account_id', '=', account.id)
    .where('purpose', '=', 'password')
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirstOrThrow()
  if (waiting >= MAX_PENDING_LINKS) return
  const key = await issueOneTimeToken(context, account.id, 'password')
  await notifyOwner(context, account.id, {
    subject: 'Reset your password',
    text: `We received a request to reset the password for the account ${account.username}.

Choose a new password using this link. It expires in one hour:
${context.services.baseUrl}/accounts/password/new/?key=${key}

If you did not request this, ignore this email. Your password will not change.
`,
  })
}

/**
 * Gives the account of a link another password, and ends what the old one opened.
 * @throws {Problem} `invalid_request`, which leaves the link as it is; `link_expired`
 */
export async function resetPassword(
  context: PublicContext,
  key: string,
  wanted: string,
  kept: Pick<RetainedAccess, 'applications'>,
): Promise<void> {
  const { accountId } = await redeemOneTimeToken(context, 'password', key)
  const { username, email } = await context.em.findOneOrFail(Account, accountId, { failHandler: problems.userNotFound })
  // A refusal undoes the transaction, so the link still works.
  checkPassword(wanted, [username, email])
  await setPassword(context, accountId, wanted, kept)
}
