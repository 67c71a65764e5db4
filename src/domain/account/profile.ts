import type { Context } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import { Account } from './account.ts'
import { verifyCurrentPassword } from './change-password.ts'
import { requestEmailChange } from './email-change.ts'
import type { LoginOrigin } from './login-throttle.ts'

const MAX_NAME_CHARACTERS = 200

/**
 * Changes the name and the email address of the actor. Links sent to the email address can reset the password. Changing
 * the address therefore requires the password, and the new address takes effect when the actor confirms it.
 * @returns the new address, which must be confirmed; undefined if the address did not change, or only upper and lower
 *   case changed, which takes effect immediately
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
  const email = readEmailAddress(change.email)
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
