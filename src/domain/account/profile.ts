import type { Context } from '../context.ts'
import { isEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Account } from './account.ts'
import { signInByPassword } from './credentials.ts'
import type { Origin } from './guessing.ts'
import { checkPassword, hashPassword } from './password.ts'
import { endSessions } from './session.ts'

const LONGEST_NAME = 200

/**
 * Changes how the actor is called and reached. A new e-mail address is a way into the account, so it takes the password.
 * @throws {Problem} `invalid_request`, `email_taken`, `not_authorized` for a wrong password, `too_many_tries`
 */
export async function changeProfile(
  context: Context,
  change: { name: string; email: string; password: string },
  origin: Origin,
): Promise<void> {
  const { em, actor } = context
  const name = change.name.trim()
  const email = change.email.trim()
  if (name.length > LONGEST_NAME) throw problems.invalidField('name', `must have at most ${LONGEST_NAME} characters`)
  if (!isEmailAddress(email)) throw problems.invalidField('email', 'must be an e-mail address')
  if (email !== actor.email) await proven(context, change.password, origin)
  const account = await em.findOneOrFail(Account, actor.id, { failHandler: problems.userNotFound })
  em.assign(account, { name, email })
  await em.flush()
}

/**
 * Gives the actor another password, and ends all other sessions and every link that waits.
 * @param session the one that stays
 * @throws {Problem} `invalid_request`, `too_many_tries`
 */
export async function changePassword(
  context: Context,
  { current, wanted }: { current: string; wanted: string },
  session: number,
  origin: Origin,
): Promise<void> {
  await proven(context, current, origin)
  checkPassword(wanted)
  const { em, actor } = context
  const account = await em.findOneOrFail(Account, actor.id, { failHandler: problems.userNotFound })
  account.passwordHash = await hashPassword(wanted)
  await em.flush()
  await endSessions(context, actor.id, session)
  await em.getKysely<Tables>().deleteFrom('account_link').where('account_id', '=', actor.id).execute()
}

/** @throws {Problem} naming the field of the current password where it is wrong */
async function proven(context: Context, password: string, origin: Origin): Promise<void> {
  try {
    await signInByPassword(context, context.actor.username, password, origin)
  } catch (error) {
    if ((error as { code?: string }).code !== 'not_authorized') throw error
    throw problems.invalidField('current', 'must be your present password')
  }
}
