import type { Actor, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { authenticateByPassword, authenticateDeveloper, lockPasswordRow } from './credentials.ts'
import { issueOneTimeToken } from './one-time-token.ts'

export interface LoginRequest {
  /** An API key of a developer account. */
  key: string
  username?: string | undefined
  email?: string | undefined
  password?: string | undefined
}

/**
 * Creates a URL that signs an account in once (docs/specification.md 3.4). The program of a developer signs in many
 * users from one IP address. Therefore wrong passwords are counted for the developer account and for the account of the
 * user, and not for the IP address.
 * @throws {Problem} `unauthenticated` for a wrong key, account or password; `invalid_request`, `too_many_attempts`,
 *   `too_many_requests`
 */
export async function generateLoginUrl(
  context: PublicContext,
  { key, username, email, password }: LoginRequest,
  ipAddress: string,
): Promise<{ actor: Actor; url: string }> {
  const name = username || email
  if (!name) throw problems.invalidField('username', 'required', {}, 'is required if email is absent')
  const developer = await authenticateDeveloper(context, key, ipAddress)
  if (!password) throw problems.invalidLogin()
  const login = await authenticateByPassword(context, name, password, { ipAddress, agent: String(developer.id) })
  const { actor } = login
  if (username && email && actor.email.toLowerCase() !== email.toLowerCase()) throw problems.invalidLogin()
  await lockPasswordRow(context, login)
  const token = await issueOneTimeToken(context, actor.id, 'sign_in')
  return { actor, url: `${context.services.baseUrl}/accounts/login/?key=${token}` }
}
