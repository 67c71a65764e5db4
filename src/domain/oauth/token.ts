import { sql } from 'kysely'
import { digest } from '../../lib/secrets.ts'
import { revokeGrants } from '../account/session.ts'
import type { Actor, PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { Scope } from './scope.ts'

/**
 * Lifetime of access tokens. Access tokens must be valid for long, because programs written for the first release of
 * the API do not refresh tokens. This is safe, because servers look up each token and notify each other of revocations
 * (db/processes/credential-invalidation.ts).
 */
export const ACCESS_TOKEN_LIFETIME_MS = 30 * 86_400_000
const REFRESH_TOKEN_LIFETIME_MS = 180 * 86_400_000
/**
 * Time after a refresh for which the old pair is accepted: the access token for requests that are in progress, the
 * refresh token for a client that did not receive the new pair, or that refreshes in two processes.
 */
const REFRESH_GRACE_MS = 60_000

type Kind = Tables['oauth_token']['kind']

/** Computes the hash of a token, in the form in which it is stored. */
export const tokenHash = ({ services }: PublicContext, kind: Kind, token: string): Buffer =>
  digest(services.secretKey, `oauth ${kind} ${token}`)

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Stores a pair of tokens for a grant, and extends the grant until the tokens expire.
 * @param tokens unguessable; stored as digests
 * @param scopes the scopes of the access token; a later refresh can request all granted scopes again (RFC 6749, 6)
 */
export async function issueTokens(
  context: PublicContext,
  grantId: number,
  tokens: { access: string; refresh: string },
  scopes: readonly Scope[],
): Promise<void> {
  const { now } = context
  const refreshHash = tokenHash(context, 'refresh', tokens.refresh)
  const row = (kind: Kind, hash: Buffer, lifetime: number) => ({
    hash,
    grant_id: grantId,
    kind,
    scopes: [...scopes],
    expires_at: new Date(now.getTime() + lifetime),
    issued_with: kind === 'access' ? refreshHash : null,
  })
  await db(context)
    .insertInto('oauth_token')
    .values([
      row('access', tokenHash(context, 'access', tokens.access), ACCESS_TOKEN_LIFETIME_MS),
      row('refresh', refreshHash, REFRESH_TOKEN_LIFETIME_MS),
    ])
    .execute()
  const expiresAt = new Date(now.getTime() + REFRESH_TOKEN_LIFETIME_MS)
  await db(context).updateTable('oauth_grant').set({ ends_at: expiresAt }).where('id', '=', grantId).execute()
}

/** The grant of a refresh token. */
interface RefreshTokenGrant {
  grantId: number
  accountId: number
  applicationId: number
  /** All granted scopes. */
  scopes: Scope[]
}

/**
 * Returns the grant of a refresh token, even if the token was used already. Locks the grant until the commit, so that a
 * concurrent revocation waits.
 */
export async function findRefreshToken(context: PublicContext, token: string): Promise<RefreshTokenGrant | undefined> {
  const row = await db(context)
    .selectFrom('oauth_token')
    .innerJoin('oauth_grant', 'oauth_grant.id', 'oauth_token.grant_id')
    .innerJoin('account', 'account.id', 'account_id')
    .select(['oauth_grant.id', 'account_id', 'application_id', 'oauth_grant.scopes'])
    .where('hash', '=', tokenHash(context, 'refresh', token))
    .where('disabled_at', 'is', null)
    .forUpdate('oauth_grant')
    .executeTakeFirst()
  if (!row) return undefined
  return { grantId: row.id, accountId: row.account_id, applicationId: row.application_id, scopes: row.scopes }
}

/**
 * Consumes a refresh token, and shortens the access token that was issued with it. Within a minute of its first use, the
 * token can be used again: the reply may have been lost, or two processes of the client refresh at the same time. A later
 * use means that the token may have been stolen, so it revokes the grant (RFC 9700, 4.14.2).
 * @returns whether the token was valid
 */
export async function consumeRefreshToken(context: PublicContext, token: string): Promise<boolean> {
  const { now } = context
  const hash = tokenHash(context, 'refresh', token)
  const graceStart = new Date(now.getTime() - REFRESH_GRACE_MS).toISOString()
  const consumed = await db(context)
    .updateTable('oauth_token')
    .set({ used_at: sql<Date>`coalesce(used_at, ${now})` })
    .where('hash', '=', hash)
    .where(({ or, eb }) => or([eb('used_at', 'is', null), eb('used_at', '>', graceStart)]))
    .where('expires_at', '>', now.toISOString())
    .returning('grant_id')
    .executeTakeFirst()
  if (consumed) {
    await shortenAccessTokens(context, consumed.grant_id, hash)
    return true
  }
  await revokeGrants(
    context,
    db(context)
      .deleteFrom('oauth_grant')
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('oauth_token').select('grant_id').where('hash', '=', hash).where('used_at', 'is not', null),
      ),
  )
  return false
}

/** Limits access tokens to a minute: those issued with a refresh token, and those for which no refresh token is stored. */
async function shortenAccessTokens(context: PublicContext, grantId: number, refreshHash: Buffer): Promise<void> {
  const graceEnd = new Date(context.now.getTime() + REFRESH_GRACE_MS)
  await db(context)
    .updateTable('oauth_token')
    .set({ expires_at: graceEnd })
    .where('grant_id', '=', grantId)
    .where('kind', '=', 'access')
    .where(({ or, eb }) => or([eb('issued_with', 'is', null), eb('issued_with', '=', refreshHash)]))
    .where('expires_at', '>', graceEnd.toISOString())
    .execute()
}

/** Minimum time between two updates of `seen_at`, so that most requests write nothing. */
const LAST_USED_INTERVAL_MS = 600_000

/** The account, the scopes and the expiry of an access token. */
export interface Bearer {
  actor: Actor
  scopes: readonly Scope[]
  expiresAt: Date
}

/** Returns the bearer of a valid access token, and updates the time of its last use. */
export async function findBearer(context: PublicContext, token: string): Promise<Bearer | undefined> {
  const { now } = context
  const row = await db(context)
    .selectFrom('oauth_token')
    .innerJoin('oauth_grant', 'oauth_grant.id', 'grant_id')
    .innerJoin('account', 'account.id', 'account_id')
    .select(['grant_id', 'oauth_token.scopes', 'oauth_grant.scopes as granted', 'expires_at', 'seen_at'])
    .select(['account_id', 'username', 'email', 'name', 'is_developer', 'plan'])
    .where('hash', '=', tokenHash(context, 'access', token))
    .where('disabled_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  if (!row) return undefined
  if (!row.seen_at || now.getTime() - new Date(row.seen_at).getTime() > LAST_USED_INTERVAL_MS)
    await db(context).updateTable('oauth_grant').set({ seen_at: now }).where('id', '=', row.grant_id).execute()
  const { account_id: id, username, email, name, is_developer: isDeveloper, plan } = row
  return {
    actor: { id, username, email, name, isDeveloper, plan },
    scopes: row.scopes.filter((scope) => row.granted.includes(scope)),
    expiresAt: new Date(row.expires_at),
  }
}
