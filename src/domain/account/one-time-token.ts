import { randomBytes } from 'node:crypto'
import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

/** What a link lets its visitor do, once: sign in, choose a new password, or confirm an e-mail address. */
export type TokenPurpose = Tables['account_link']['purpose']

/** How long a link works, in milliseconds. */
const LIFETIME_MS: Readonly<Record<TokenPurpose, number>> = {
  sign_in: 10 * 60_000,
  password: 60 * 60_000,
  email: 24 * 60 * 60_000,
}

/** What a link is for. */
export interface OneTimeToken {
  accountId: number
  /** The address that it confirms. */
  email: string | null
}

const hashOf = ({ services }: PublicContext, purpose: TokenPurpose, key: string) =>
  digest(services.secretKey, `${purpose} link ${key}`)

/** Makes the secret of a link: 256 bits, readable only in this answer. */
export async function issueOneTimeToken(
  context: PublicContext,
  accountId: number,
  purpose: TokenPurpose,
  email: string | null = null,
): Promise<string> {
  const key = randomBytes(32).toString('base64url')
  await context.em
    .getKysely<Tables>()
    .insertInto('account_link')
    .values({
      hash: hashOf(context, purpose, key),
      account_id: accountId,
      purpose,
      email,
      expires_at: new Date(context.now.getTime() + LIFETIME_MS[purpose]),
    })
    .execute()
  return key
}

/**
 * Uses a link up. It exists until it is deleted, so of two visits at the same moment one gets it.
 * @returns its account, and what else it is for
 * @throws {Problem} `link_expired` also where there never was such a link
 */
export async function redeemOneTimeToken(
  context: PublicContext,
  purpose: TokenPurpose,
  key: string,
): Promise<OneTimeToken> {
  const used = await context.em
    .getKysely<Tables>()
    .deleteFrom('account_link')
    .where('hash', '=', hashOf(context, purpose, key))
    .where('purpose', '=', purpose)
    .returning(['account_id', 'email', 'expires_at'])
    .executeTakeFirst()
  if (!used || new Date(used.expires_at) <= context.now) throw problems.linkExpired()
  return { accountId: used.account_id, email: used.email }
}

/** Returns a link where it would work now; it is not used up. */
export async function findOneTimeToken(
  context: PublicContext,
  purpose: TokenPurpose,
  key: string,
): Promise<OneTimeToken | undefined> {
  const found = await context.em
    .getKysely<Tables>()
    .selectFrom('account_link')
    .select(['account_id', 'email'])
    .where('hash', '=', hashOf(context, purpose, key))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirst()
  return found && { accountId: found.account_id, email: found.email }
}

/** Ends the links of an account; with purposes only those. */
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
