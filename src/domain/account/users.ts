import { randomCode } from '../../lib/secrets.ts'
import type { Context } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Account } from './account.ts'
import { createAccount } from './commands.ts'

export interface NewUser {
  email: string
  /** If absent, derived from the email address. */
  username?: string | undefined
  /** If absent, generated. */
  password?: string | undefined
}

const GENERATED_PASSWORD_CHARACTERS = 16
const MAX_DERIVED_USERNAME_CHARACTERS = 58

/** Derives a username from the part of an email address before the @. */
const usernameFromEmail = (email: string): string =>
  email
    .split('@', 1)[0]!
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_DERIVED_USERNAME_CHARACTERS)
    .toLowerCase() || 'user'

async function availableUsername({ em }: Context, email: string): Promise<string> {
  const base = usernameFromEmail(email)
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('username')
    .where((eb) => eb.fn<boolean>('starts_with', [eb.fn('lower', ['username']), eb.val(base)]))
    .execute()
  const usedNames = new Set(rows.map(({ username }) => username.toLowerCase()))
  if (!usedNames.has(base)) return base
  let suffix = 2
  while (usedNames.has(`${base}-${suffix}`)) suffix += 1
  return `${base}-${suffix}`
}

/**
 * Creates an account for another person, on behalf of a developer account.
 * @returns the account; if no password was given, also the generated password, which cannot be read again
 * @throws {Problem} `forbidden` unless the actor is a developer account, `invalid_request`, `username_taken`,
 *   `email_taken`
 */
export async function createUser(
  context: Context,
  { email: written, username, password }: NewUser,
): Promise<{ account: Account; generated: string | undefined }> {
  if (!context.actor.isDeveloper) throw problems.forbidden('create accounts. Only developer accounts can')
  const email = readEmailAddress(written)
  if (!isEmailAddress(email)) throw problems.invalidField('email', 'invalid_email')
  const generated = password ? undefined : randomCode(GENERATED_PASSWORD_CHARACTERS)
  const account = await createAccount(context, {
    email,
    username: username || (await availableUsername(context, email)),
    password: password || generated!,
    openedBy: context.actor.id,
  })
  return { account, generated }
}
