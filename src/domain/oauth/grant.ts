import { digest } from '../../lib/secrets.ts'
import { revokeGrants } from '../account/session.ts'
import type { Context, PublicContext } from '../context.ts'
import { anyOfRows, DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import type { Scope } from './scope.ts'
import { tokenHash } from './token.ts'

/** Lifetime of an authorization code. RFC 6749, 4.1.2 recommends ten minutes at most. */
const CODE_LIFETIME_MS = 5 * 60_000

/** The consent that a user gave on the consent page. */
interface Consent {
  applicationId: number
  scopes: readonly Scope[]
  /** The `redirect_uri` of the authorization request. If undefined, the token request may omit it too. */
  redirectUri: string | undefined
  /** The code challenge of PKCE (RFC 7636). The method is always S256. */
  codeChallenge: string | undefined
}

/** The grant of an authorization code. */
export interface Grant extends Consent {
  id: number
  accountId: number
  /** The registered redirect URIs. */
  callbacks: string[]
}

const hashOf = ({ services }: PublicContext, code: string) => digest(services.secretKey, `oauth code ${code}`)
const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Creates a grant of the actor to an application, with an authorization code that can be exchanged for tokens once.
 * @param code unguessable; stored as a digest
 */
export async function createGrant(context: Context, code: string, consent: Consent): Promise<void> {
  const { actor, now } = context
  const expiresAt = new Date(now.getTime() + CODE_LIFETIME_MS)
  await db(context)
    .insertInto('oauth_grant')
    .values({
      account_id: actor.id,
      application_id: consent.applicationId,
      scopes: [...consent.scopes],
      code_hash: hashOf(context, code),
      code_expires_at: expiresAt,
      redirect_uri: consent.redirectUri ?? null,
      code_challenge: consent.codeChallenge ?? null,
      created_at: now,
      ends_at: expiresAt,
    })
    .execute()
  const { applicationId: application, scopes } = consent
  await recordSecurityEvent(context, actor.id, 'application_authorized', { application, scopes })
}

/** Returns the grant of an authorization code, redeemed or not. */
export async function findGrantByCode(context: PublicContext, code: string): Promise<Grant | undefined> {
  const row = await db(context)
    .selectFrom('oauth_grant')
    .innerJoin('oauth_application', 'oauth_application.id', 'application_id')
    .innerJoin('account', 'account.id', 'account_id')
    .select(['oauth_grant.id', 'account_id', 'application_id', 'scopes', 'redirect_uri', 'code_challenge'])
    .select(['callback', 'more_callbacks'])
    .where('code_hash', '=', hashOf(context, code))
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    id: row.id,
    accountId: row.account_id,
    applicationId: row.application_id,
    scopes: row.scopes,
    redirectUri: row.redirect_uri ?? undefined,
    codeChallenge: row.code_challenge ?? undefined,
    callbacks: [row.callback, ...row.more_callbacks],
  }
}

/**
 * Redeems an authorization code. If two requests redeem the code at the same time, only one succeeds. A second use
 * means that the code may have been stolen, so it revokes the grant (RFC 6749, 4.1.2).
 * @returns whether the code was valid
 */
export async function redeemCode(context: PublicContext, grantId: number): Promise<boolean> {
  const { numUpdatedRows } = await db(context)
    .updateTable('oauth_grant')
    .set({ redeemed_at: context.now })
    .where('id', '=', grantId)
    .where('redeemed_at', 'is', null)
    .where('code_expires_at', '>', context.now.toISOString())
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return true
  await revokeGrants(
    context,
    db(context).deleteFrom('oauth_grant').where('id', '=', grantId).where('redeemed_at', 'is not', null),
  )
  return false
}

/** Revokes a grant with all its tokens. */
async function revokeGrant(context: PublicContext, grantId: number): Promise<void> {
  await revokeGrants(context, db(context).deleteFrom('oauth_grant').where('id', '=', grantId))
}

/**
 * Revokes a token (RFC 7009, 2.1). An access token is revoked alone, a refresh token with its whole grant.
 * @param applicationId the id of the application that sends the request
 * @returns `foreign` if the token belongs to another application; the token stays valid then. `done` otherwise, even
 *   for an unknown token
 */
export async function revokeToken(
  context: PublicContext,
  applicationId: number,
  token: string,
): Promise<'done' | 'foreign'> {
  const db = context.em.getKysely<Tables>()
  const row = await db
    .selectFrom('oauth_token')
    .innerJoin('oauth_grant', 'oauth_grant.id', 'grant_id')
    .select(['hash', 'kind', 'grant_id', 'application_id', 'account_id'])
    .where('hash', 'in', [tokenHash(context, 'access', token), tokenHash(context, 'refresh', token)])
    .executeTakeFirst()
  if (!row) return 'done'
  if (row.application_id !== applicationId) return 'foreign'
  if (row.kind === 'refresh') await revokeGrant(context, row.grant_id)
  else {
    await db.deleteFrom('oauth_token').where('hash', '=', row.hash).execute()
    await context.services.invalidateCredentials(context.em, [row.account_id])
  }
  return 'done'
}

/** Rows are kept this long after their expiry, because the clocks of servers differ. */
const PURGE_MARGIN_MS = 3_600_000

/**
 * Deletes expired grants with their codes and tokens, and expired tokens of other grants. A used refresh token is kept
 * until it expires, because a second use of it revokes the grant.
 * @returns the number of deleted grants and tokens, without rows deleted by cascade
 */
export async function purgeGrants({ em, now }: PublicContext, signal: AbortSignal): Promise<number> {
  const db = em.getKysely<Tables>()
  const before = new Date(now.getTime() - PURGE_MARGIN_MS).toISOString()
  const grants = db.selectFrom('oauth_grant').select('id').where('ends_at', '<=', before).orderBy('ends_at')
  const tokens = db.selectFrom('oauth_token').select('hash').where('expires_at', '<=', before).orderBy('expires_at')
  const grantDeletion = db.deleteFrom('oauth_grant').where('id', '=', anyOfRows(grants.limit(DELETE_BATCH_ROWS)))
  const tokenDeletion = db.deleteFrom('oauth_token').where('hash', '=', anyOfRows(tokens.limit(DELETE_BATCH_ROWS)))
  return (
    (await deleteInBatches(signal, () => grantDeletion.executeTakeFirstOrThrow())) +
    (await deleteInBatches(signal, () => tokenDeletion.executeTakeFirstOrThrow()))
  )
}
