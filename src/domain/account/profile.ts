import type { Context } from '../context.ts'
import { isEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import { Account } from './account.ts'
import { verifyCurrentPassword } from './change-password.ts'
import { requestEmailChange } from './email-change.ts'
import type { LoginOrigin } from './login-throttle.ts'

const MAX_NAME_CHARACTERS = 200

/**
 * Changes the name and the email address of the actor. A new address can reset the password, so changing it requires the
 * password, and the address takes effect when it is confirmed.
 * @returns the new address, which must be confirmed; undefined if it did not change
 * @throws {Problem} `invalid_request` (in `current` for a wrong password), `email_taken`, `too_many_attempts`,
 *   `too_many_requests`
 */
export async function changeProfile(
  context: Context,
  change: { name: string; email: string; password: string },
  origin: LoginOrigin,
): Promise<string | undefined> {
  const { em, actor } = context
  const name = change.name.trim()
  const email = change.email.trim()
  if (name.length > MAX_NAME_CHARACTERS) throw problems.invalidField('name', 'too_long', { max: MAX_NAME_CHARACTERS })
  if (!isEmailAddress(email)) throw problems.invalidField('email', 'invalid_email')
  const isNew = email.toLowerCase() !== actor.email.toLowerCase()
  if (isNew) await verifyCurrentPassword(context, change.password, origin)
  const account = await em.findOneOrFail(Account, actor.id, { failHandler: problems.userNotFound })
  em.assign(account, isNew ? { name } : { name, email })
  await em.flush()
  await context.services.invalidateCredentials(em, [actor.id])
  if (isNew) await requestEmailChange(context, email)
  return isNew ? email : undefined
}
