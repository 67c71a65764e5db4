import { digest } from '../../lib/token.ts'
import { revokeGrants } from '../account/revoke-grants.ts'
import type { Context, PublicContext } from '../context.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import type { Scope } from './scope.ts'

/** RFC 6749, 4.1.2 recommends ten minutes at most, in milliseconds. */
const CODE_LIFETIME_MS = 5 * 60_000

/** What somebody agreed to on the page of consent. */
export interface Consent {
  applicationId: number
  scopes: readonly Scope[]
  /** As the application asked; undefined where it left it out, then it may leave it out again. */
  redirectUri: string | undefined
  /** RFC 7636, always S256. */
  codeChallenge: string | undefined
}

/** What a code stands for. */
export interface Grant extends Consent {
  id: number
  accountId: number
  /** What the application has registered. */
  callback: string
}

const hashOf = ({ services }: PublicContext, code: string) => digest(services.secretKey, `oauth code ${code}`)
const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Writes down that the actor lets an application in: a grant begins as a code, which is exchanged for tokens once.
 * @param code unguessable; kept as its digest
 */
export async function createGrant(context: Context, code: string, consent: Consent): Promise<void> {
  const { actor, now } = context
  const ends = new Date(now.getTime() + CODE_LIFETIME_MS)
  await db(context)
    .insertInto('oauth_grant')
    .values({
      account_id: actor.id,
      application_id: consent.applicationId,
      scopes: [...consent.scopes],
      code_hash: hashOf(context, code),
      code_expires_at: ends,
      redirect_uri: consent.redirectUri ?? null,
      code_challenge: consent.codeChallenge ?? null,
      created_at: now,
      ends_at: ends,
    })
    .execute()
  const { applicationId: application, scopes } = consent
  await recordSecurityEvent(context, actor.id, 'application_authorized', { application, scopes })
}

/** What a code stands for, used or not. */
export async function findGrantByCode(context: PublicContext, code: string): Promise<Grant | undefined> {
  const row = await db(context)
    .selectFrom('oauth_grant')
    .innerJoin('oauth_application', 'oauth_application.id', 'application_id')
    .select(['oauth_grant.id', 'account_id', 'application_id', 'scopes', 'redirect_uri', 'code_challenge', 'callback'])
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
    callback: row.callback,
  }
}

/**
 * Uses a code up. Of two requests at the same moment one gets it, and to the other it is used already: then somebody
 * has it who should not, and everything that came of it ends (RFC 6749, 4.1.2).
 * @returns whether the caller is the one
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

/** Ends a grant with all its tokens. */
export async function revokeGrant(context: PublicContext, grantId: number): Promise<void> {
  await revokeGrants(context, db(context).deleteFrom('oauth_grant').where('id', '=', grantId))
}
