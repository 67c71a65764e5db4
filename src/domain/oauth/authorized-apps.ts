import { sql } from 'kysely'
import { revokeGrants } from '../account/session.ts'
import type { Context, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { SCOPES, type Scope } from './scope.ts'

/**
 * An application with access to the account of the actor. `scopes`, `since` and `lastUsed` are computed from all grants
 * to the application.
 */
export interface AuthorizedApp {
  applicationId: number
  name: string
  homepage: string
  scopes: Scope[]
  since: Date
  /** The time of the last request; undefined if the application has not made a request yet. */
  lastUsed: Date | undefined
}

const db = ({ em }: Context) => em.getKysely<Tables>()

/** Returns the applications that hold a valid token or code for the actor's account, sorted by name. */
export async function listAuthorizedApps(context: Context): Promise<AuthorizedApp[]> {
  const now = context.now.toISOString()
  const rows = await db(context)
    .selectFrom('oauth_grant')
    .innerJoin('oauth_application', 'oauth_application.id', 'application_id')
    .select(['application_id', 'name', 'homepage'])
    .select(({ fn }) => [
      fn.min<string>('oauth_grant.created_at').as('since'),
      fn.max<string | null>('seen_at').as('seen_at'),
      sql<boolean>`bool_or('read' = any(oauth_grant.scopes))`.as('read'),
      sql<boolean>`bool_or('write' = any(oauth_grant.scopes))`.as('write'),
    ])
    .where('account_id', '=', context.actor.id)
    .where(({ and, or, eb, exists, selectFrom }) =>
      or([
        and([eb('redeemed_at', 'is', null), eb('code_expires_at', '>', now)]),
        exists(
          selectFrom('oauth_token')
            .select('hash')
            .whereRef('grant_id', '=', 'oauth_grant.id')
            .where('used_at', 'is', null)
            .where('expires_at', '>', now),
        ),
      ]),
    )
    .groupBy(['application_id', 'name', 'homepage'])
    .orderBy('name')
    .orderBy('application_id')
    .execute()
  return rows.map((row) => ({
    applicationId: row.application_id,
    name: row.name,
    homepage: row.homepage,
    scopes: SCOPES.filter((scope) => row[scope]),
    since: new Date(row.since),
    lastUsed: row.seen_at ? new Date(row.seen_at) : undefined,
  }))
}

/** Returns whether any application has a grant for an account. */
export async function hasAuthorizedApps({ em }: PublicContext, accountId: number): Promise<boolean> {
  const grants = em.getKysely<Tables>().selectFrom('oauth_grant').select('id')
  return (await grants.where('account_id', '=', accountId).limit(1).executeTakeFirst()) !== undefined
}

/**
 * Revokes all access of an application to the account of the actor.
 * @throws {Problem} `application_not_found`
 */
export async function revokeAuthorizedApp(context: Context, applicationId: number): Promise<void> {
  const deletion = db(context)
    .deleteFrom('oauth_grant')
    .where('account_id', '=', context.actor.id)
    .where('application_id', '=', applicationId)
  if ((await revokeGrants(context, deletion)) === 0) throw problems.applicationNotFound()
  await recordSecurityEvent(context, context.actor.id, 'application_revoked', { application: applicationId })
}

/**
 * Limits the access of an application to the scope `read` (docs/specification.md 3.3).
 * @throws {Problem} `application_not_found`, also if the application never had the scope `read`
 */
export async function restrictToRead(context: Context, applicationId: number): Promise<void> {
  const { numUpdatedRows } = await db(context)
    .updateTable('oauth_grant')
    .set({ scopes: ['read'] })
    .where('account_id', '=', context.actor.id)
    .where('application_id', '=', applicationId)
    .where(sql<boolean>`'read' = any(scopes)`)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.applicationNotFound()
  await recordSecurityEvent(context, context.actor.id, 'application_limited', { application: applicationId })
  await db(context)
    .deleteFrom('oauth_grant')
    .where('account_id', '=', context.actor.id)
    .where('application_id', '=', applicationId)
    .where(sql<boolean>`'read' <> all(scopes)`)
    .execute()
  await context.services.invalidateCredentials(context.em, [context.actor.id])
}
