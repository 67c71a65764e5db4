import { randomBytes } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

/** The purpose of a one-time token: signing in, setting a new password, or confirming an email address. */
export type TokenPurpose = Tables['account_link']['purpose']

const LIFETIME_MS: Readonly<Record<TokenPurpose, number>> = {
  sign_in: 10 * 60_000,
  password: 60 * 60_000,
  email: 24 * 60 * 60_000,
}

/** The account of a one-time token. */
export interface OneTimeToken {
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
      expires_at: new Date(context.now.getTime() + LIFETIME_MS[purpose]),
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
