import type { Actor, PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { Scope } from './scope.ts'
import { tokenHash } from './token.ts'

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

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
