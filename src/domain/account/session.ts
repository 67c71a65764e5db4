import { randomBytes } from 'node:crypto'
import type { DeleteQueryBuilder, DeleteResult } from 'kysely'
import { digest, seal, unseal } from '../../lib/secrets.ts'
import type { Actor, Context, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'

/** An unused session ends after this time. Every session ends after {@link MAX_SESSION_MS}. */
export const IDLE_TIMEOUT_MS = 14 * 86_400_000
const MAX_SESSION_MS = 90 * 86_400_000
/** A session of an OpenID provider ends after this time, because not every provider says that a person has left. */
const MAX_PROVIDER_SESSION_MS = 12 * 3_600_000
/** A sign-in at the provider replaces the password for this time. */
const CONFIRMATION_MS = 5 * 60_000
const ID_TOKEN = 'ID token of a session'
/** Minimum time between two updates of `seen_at`, so that most requests write nothing. */
const LAST_USED_INTERVAL_MS = 600_000
const MAX_USER_AGENT_CHARACTERS = 300

/** A user signed in with one browser. */
export interface Session {
  id: number
  actor: Actor
  /** The settings of the account; null: the language or time zone of the browser. */
  locale: { language: string | null; timeZone: string | null }
  /** Whether the account has a second factor, or the person signed in at an OpenID provider. */
  hasSecondFactor: boolean
  /** Whether the person may open the administration. */
  isAdministrator: boolean
  /** Whether this request updated `seen_at`. The session cookie then gets a new expiry. */
  renewed: boolean
}

const hashOf = ({ services }: PublicContext, token: string) => digest(services.secretKey, `session ${token}`)
const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/** A sign-in at an OpenID provider. */
export interface ProviderSignIn {
  id: string
  /** With this token, the person signs out at the provider. */
  idToken: string
  subject: string
  /** The session at the provider (`sid`), with which the provider signs the person out here. */
  session: string | undefined
}

/**
 * Creates a session.
 * @returns the session token of 256 bits, which cannot be read again
 */
export async function createSession(
  context: PublicContext,
  accountId: number,
  { agent, ipAddress, provider }: { agent: string; ipAddress: string; provider?: ProviderSignIn | undefined },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db(context)
    .insertInto('session')
    .values({
      hash: hashOf(context, token),
      account_id: accountId,
      agent: agent.slice(0, MAX_USER_AGENT_CHARACTERS),
      ip_address: ipAddress,
      created_at: context.now,
      seen_at: context.now,
      provider: provider?.id ?? null,
      id_token: provider ? seal(context.services.secretKey, ID_TOKEN, provider.idToken) : null,
      provider_subject: provider?.subject ?? null,
      provider_session: provider?.session ?? null,
    })
    .execute()
  return token
}

/** Returns the session with a token, and its account. Updates the time at which the session was last used. */
export async function findSession(context: PublicContext, token: string): Promise<Session | undefined> {
  const row = await db(context)
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .leftJoin('second_factor', 'second_factor.account_id', 'session.account_id')
    .select([
      'provider',
      'second_factor.last_step',
      'session.id',
      'account.id as accountId',
      'username',
      'email',
      'name',
      'is_developer',
      'is_administrator',
      'plan',
      'seen_at',
      'language',
      'time_zone',
    ])
    .where('hash', '=', hashOf(context, token))
    .where('disabled_at', 'is', null)
    .where('seen_at', '>', new Date(context.now.getTime() - IDLE_TIMEOUT_MS).toISOString())
    .where('session.created_at', '>', new Date(context.now.getTime() - MAX_SESSION_MS).toISOString())
    .where(({ eb, or }) =>
      or([
        eb('provider', 'is', null),
        eb('session.created_at', '>', new Date(context.now.getTime() - MAX_PROVIDER_SESSION_MS).toISOString()),
      ]),
    )
    .executeTakeFirst()
  if (!row) return undefined
  const renewed = context.now.getTime() - new Date(row.seen_at).getTime() > LAST_USED_INTERVAL_MS
  if (renewed) await db(context).updateTable('session').set({ seen_at: context.now }).where('id', '=', row.id).execute()
  const { id, accountId, username, email, name, is_developer, plan, language, time_zone, provider, last_step } = row
  return {
    id,
    actor: { id: accountId, username, email, name, isDeveloper: is_developer, plan },
    locale: { language, timeZone: time_zone },
    hasSecondFactor: last_step !== null || provider !== null,
    isAdministrator: row.is_administrator,
    renewed,
  }
}

/** Ends the session that belongs to a token, if there is such a session. */
export async function endSession(context: PublicContext, token: string): Promise<void> {
  await db(context).deleteFrom('session').where('hash', '=', hashOf(context, token)).execute()
}

/**
 * Ends one session of the actor.
 * @throws {Problem} `session_not_found`
 */
export async function endSessionById(context: Context, id: number): Promise<void> {
  const { numDeletedRows } = await db(context)
    .deleteFrom('session')
    .where('id', '=', id)
    .where('account_id', '=', context.actor.id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw problems.sessionNotFound()
}

/** Returns the provider of a session and its ID token. Undefined after a sign-in with a password or a link. */
export async function findProviderSignIn(
  context: PublicContext,
  id: number,
): Promise<Pick<ProviderSignIn, 'id' | 'idToken'> | undefined> {
  const row = await db(context)
    .selectFrom('session')
    .select(['provider', 'id_token'])
    .where('id', '=', id)
    .executeTakeFirst()
  const idToken = row?.id_token && unseal(context.services.secretKey, ID_TOKEN, row.id_token)
  return row?.provider && idToken ? { id: row.provider, idToken } : undefined
}

/** Stores that the person of a session has just signed in again at a provider. */
export async function confirmSession(context: PublicContext, id: number): Promise<void> {
  await db(context).updateTable('session').set({ confirmed_at: context.now }).where('id', '=', id).execute()
}

/** Returns whether the person of a session has signed in again at a provider within the last five minutes. */
export async function isConfirmed(context: Context, id: number): Promise<boolean> {
  const row = await db(context)
    .selectFrom('session')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', context.actor.id)
    .where('confirmed_at', '>', new Date(context.now.getTime() - CONFIRMATION_MS).toISOString())
    .executeTakeFirst()
  return row !== undefined
}

/** Ends all sessions of an account, except the given one. */
export async function endSessions(context: PublicContext, accountId: number, except?: number): Promise<void> {
  let ending = db(context).deleteFrom('session').where('account_id', '=', accountId)
  if (except !== undefined) ending = ending.where('id', '!=', except)
  await ending.execute()
}

/** Returns the sessions of the actor, last used first. */
export async function listSessions(context: Context) {
  const rows = await db(context)
    .selectFrom('session')
    .select(['id', 'agent', 'ip_address', 'seen_at'])
    .where('account_id', '=', context.actor.id)
    .where('seen_at', '>', new Date(context.now.getTime() - IDLE_TIMEOUT_MS).toISOString())
    .where('created_at', '>', new Date(context.now.getTime() - MAX_SESSION_MS).toISOString())
    .orderBy('seen_at', 'desc')
    .execute()
  return rows.map(({ id, agent, ip_address, seen_at }) => ({
    id,
    agent,
    ipAddress: ip_address,
    seenAt: new Date(seen_at),
  }))
}

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
