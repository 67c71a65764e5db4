import { digest } from '../../lib/secrets.ts'
import { revokeGrants } from '../account/session.ts'
import type { Context, PublicContext } from '../context.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import type { Scope } from './scope.ts'

/** Lifetime of an authorization code. RFC 6749, 4.1.2 recommends ten minutes at most. */
const CODE_LIFETIME_MS = 5 * 60_000

/** The consent that a user gave on the consent page. */
export interface Consent {
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
    .select(['oauth_grant.id', 'account_id', 'application_id', 'scopes', 'redirect_uri', 'code_challenge'])
    .select(['callback', 'more_callbacks'])
    .where('code_hash', '=', hashOf(context, code))
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
export async function revokeGrant(context: PublicContext, grantId: number): Promise<void> {
  await revokeGrants(context, db(context).deleteFrom('oauth_grant').where('id', '=', grantId))
}
