import { randomBytes } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import type { Actor, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { authenticateByPassword, authenticateDeveloper, lockPasswordRow } from './credentials.ts'

/** The purpose of a one-time token: signing in, setting a new password, or confirming an email address. */
type TokenPurpose = Tables['account_link']['purpose']

const LIFETIME_MS: Readonly<Record<TokenPurpose, number>> = {
  sign_in: 10 * 60_000,
  password: 60 * 60_000,
  email: 24 * 60 * 60_000,
}

/** The account of a one-time token. */
interface OneTimeToken {
  accountId: number
  /** The email address that the token confirms. */
  email: string | null
}

const hashOf = ({ services }: PublicContext, purpose: TokenPurpose, token: string) =>
  digest(services.secretKey, `${purpose} link ${token}`)

/**
 * Issues a one-time token of 256 bits, to be sent as part of a link.
 * @returns the token, which cannot be read again
 */
export async function issueOneTimeToken(
  context: PublicContext,
  accountId: number,
  purpose: TokenPurpose,
  email: string | null = null,
  lifetimeMs = LIFETIME_MS[purpose],
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await context.em
    .getKysely<Tables>()
    .insertInto('account_link')
    .values({
      hash: hashOf(context, purpose, token),
      account_id: accountId,
      purpose,
      email,
      expires_at: new Date(context.now.getTime() + lifetimeMs),
    })
    .execute()
  return token
}

/**
 * Redeems a one-time token. The token is deleted, so only one of two concurrent requests succeeds.
 * @throws {Problem} `link_expired` for a used, expired or unknown token
 */
export async function redeemOneTimeToken(
  context: PublicContext,
  purpose: TokenPurpose,
  token: string,
): Promise<OneTimeToken> {
  const deleted = await context.em
    .getKysely<Tables>()
    .deleteFrom('account_link')
    .where('hash', '=', hashOf(context, purpose, token))
    .where('purpose', '=', purpose)
    .returning(['account_id', 'email', 'expires_at'])
    .executeTakeFirst()
  if (!deleted || new Date(deleted.expires_at) <= context.now) throw problems.linkExpired()
  return { accountId: deleted.account_id, email: deleted.email }
}

/** Returns a one-time token without redeeming it; undefined if the token is not valid. */
export async function findOneTimeToken(
  context: PublicContext,
  purpose: TokenPurpose,
  token: string,
): Promise<OneTimeToken | undefined> {
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('account_link')
    .select(['account_id', 'email'])
    .where('hash', '=', hashOf(context, purpose, token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirst()
  return row && { accountId: row.account_id, email: row.email }
}

/** Deletes the one-time tokens of an account for the given purposes, or for all purposes if none is given. */
export async function deleteOneTimeTokens(
  { em }: PublicContext,
  accountId: number,
  purposes: readonly TokenPurpose[] = ['sign_in', 'password', 'email'],
): Promise<void> {
  await em
    .getKysely<Tables>()
    .deleteFrom('account_link')
    .where('account_id', '=', accountId)
    .where('purpose', 'in', purposes)
    .execute()
}

interface LoginRequest {
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
