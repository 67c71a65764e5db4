import { digest } from '../../lib/token.ts'
import { revokeGrants } from '../account/revoke-grants.ts'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { Scope } from './scope.ts'

/**
 * In milliseconds. Tokens are looked up, so they end at once when somebody revokes them, and need not be short-lived for that;
 * programs written for the first version of this interface know no refresh and go on for a month.
 */
export const ACCESS_TOKEN_LIFETIME_MS = 30 * 86_400_000
const REFRESH_TOKEN_LIFETIME_MS = 180 * 86_400_000
/** How long an access token outlives the refresh that replaced it: for requests that are on their way. */
const REUSE_GRACE_MS = 60_000

type Kind = Tables['oauth_token']['kind']

/** What is stored of a token. */
export const tokenHash = ({ services }: PublicContext, kind: Kind, token: string): Buffer =>
  digest(services.secretKey, `oauth ${kind} ${token}`)

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Adds a pair of tokens to a grant, which goes on for as long as they do.
 * @param tokens unguessable; kept as their digests
 * @param scopes of the access token; the refresh token always has all that was granted (RFC 6749, 6)
 */
export async function issueTokens(
  context: PublicContext,
  grantId: number,
  tokens: { access: string; refresh: string },
  scopes: readonly Scope[],
): Promise<void> {
  const { now } = context
  const soon = new Date(now.getTime() + REUSE_GRACE_MS)
  await db(context)
    .updateTable('oauth_token')
    .set({ expires_at: soon })
    .where('grant_id', '=', grantId)
    .where('kind', '=', 'access')
    .where('expires_at', '>', soon.toISOString())
    .execute()
  const row = (kind: Kind, token: string, lifetime: number) => ({
    hash: tokenHash(context, kind, token),
    grant_id: grantId,
    kind,
    scopes: [...scopes],
    expires_at: new Date(now.getTime() + lifetime),
  })
  await db(context)
    .insertInto('oauth_token')
    .values([
      row('access', tokens.access, ACCESS_TOKEN_LIFETIME_MS),
      row('refresh', tokens.refresh, REFRESH_TOKEN_LIFETIME_MS),
    ])
    .execute()
  const ends = new Date(now.getTime() + REFRESH_TOKEN_LIFETIME_MS)
  await db(context).updateTable('oauth_grant').set({ ends_at: ends }).where('id', '=', grantId).execute()
}

/** What a refresh token stands for. */
export interface RefreshTokenGrant {
  grantId: number
  accountId: number
  applicationId: number
  /** All that was granted. */
  scopes: Scope[]
}

/**
 * What a refresh token stands for, used or not; its grant stays locked until the end of the transaction, so that
 * whatever ends the grant at the same moment takes its turn.
 */
export async function findRefreshToken(context: PublicContext, token: string): Promise<RefreshTokenGrant | undefined> {
  const row = await db(context)
    .selectFrom('oauth_token')
    .innerJoin('oauth_grant', 'oauth_grant.id', 'oauth_token.grant_id')
    .select(['oauth_grant.id', 'account_id', 'application_id', 'oauth_grant.scopes'])
    .where('hash', '=', tokenHash(context, 'refresh', token))
    .forUpdate('oauth_grant')
    .executeTakeFirst()
  if (!row) return undefined
  return { grantId: row.id, accountId: row.account_id, applicationId: row.application_id, scopes: row.scopes }
}

/**
 * Uses a refresh token up. Where it is used already, somebody has a copy, and nobody knows which of the two is honest:
 * everything that was granted ends (RFC 9700, 4.14.2).
 * @returns whether it worked
 */
export async function consumeRefreshToken(context: PublicContext, token: string): Promise<boolean> {
  const hash = tokenHash(context, 'refresh', token)
  const { numUpdatedRows } = await db(context)
    .updateTable('oauth_token')
    .set({ used_at: context.now })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return true
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
