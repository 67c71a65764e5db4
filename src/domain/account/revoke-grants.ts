import type { DeleteQueryBuilder, DeleteResult } from 'kysely'
import type { PublicContext } from '../context.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'

/** The application id in the security log when the grants of all applications are revoked. */
const ALL_APPLICATIONS = 0

type Deletion = DeleteQueryBuilder<Tables, 'oauth_grant', DeleteResult>

/**
 * Revokes grants with all their tokens, on every server.
 * @param deletion selects the grants
 * @returns the number of revoked grants
 */
export async function revokeGrants(context: PublicContext, deletion: Deletion): Promise<number> {
  const rows = await deletion.returning('account_id').execute()
  await context.services.invalidateCredentials(
    context.em,
    rows.map(({ account_id }) => account_id),
  )
  return rows.length
}

/** Revokes all OAuth grants of an account, so that no application can access the account any more. */
export async function revokeAllGrants(context: PublicContext, accountId: number): Promise<void> {
  const db = context.em.getKysely<Tables>()
  const count = await revokeGrants(context, db.deleteFrom('oauth_grant').where('account_id', '=', accountId))
  if (count > 0) await recordSecurityEvent(context, accountId, 'application_revoked', { application: ALL_APPLICATIONS })
}
