import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { revokeGrant } from './grant.ts'
import { tokenHash } from './token.ts'

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
