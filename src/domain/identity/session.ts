import { randomBytes } from 'node:crypto'
import { digest, seal, unseal } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import { anyOfRows, DELETE_BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'
import type { Tokens } from './sign-in.ts'

/** A respondent signed in for one collector with one browser. */
export interface RespondentSession {
  hash: Buffer
  tokens: Tokens
  /** The number of consecutive sign-ins that did not give access; 0 after this session has had access. */
  attempt: number
}

/**
 * The collector and endpoint of a session. If the endpoint of the survey changes, the session is no longer valid, so
 * that no other provider receives the tokens.
 */
export interface SessionTarget {
  collectorId: number
  endpoint: string
}

const SESSION_LIFETIME_MS = 86_400_000
const SEAL_PURPOSE = 'tokens of respondents'

const db = ({ em }: PublicContext) => em.getKysely<Tables>()
const hashOf = ({ services }: PublicContext, token: string) => digest(services.secretKey, `respondent session ${token}`)
const sealTokens = ({ services }: PublicContext, tokens: Tokens) =>
  seal(services.secretKey, SEAL_PURPOSE, JSON.stringify(tokens))

/**
 * Creates a session.
 * @param stateEchoed whether the identity provider returned the `state` of this sign-in
 * @returns the session token of 256 bits, which cannot be read again
 */
export async function createRespondentSession(
  context: PublicContext,
  { collectorId, endpoint }: SessionTarget,
  tokens: Tokens,
  { attempt, stateEchoed }: { attempt: number; stateEchoed: boolean },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db(context)
    .insertInto('respondent_session')
    .values({
      hash: hashOf(context, token),
      collector_id: collectorId,
      endpoint,
      tokens: sealTokens(context, tokens),
      attempt,
      state_echoed: stateEchoed,
      created_at: context.now,
    })
    .execute()
  return token
}

/**
 * Returns whether the identity provider has returned `state` for any current session. If so, the provider must return
 * `state` for every sign-in, because a forged callback would omit `state`.
 */
export async function echoesState(context: PublicContext, { collectorId, endpoint }: SessionTarget): Promise<boolean> {
  const row = await db(context)
    .selectFrom('respondent_session')
    .select('hash')
    .where('collector_id', '=', collectorId)
    .where('endpoint', '=', endpoint)
    .where('state_echoed', '=', true)
    .where('created_at', '>', new Date(context.now.getTime() - SESSION_LIFETIME_MS).toISOString())
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the session of a token; undefined if the session is expired or belongs to another collector or endpoint. */
export async function findRespondentSession(
  context: PublicContext,
  { collectorId, endpoint }: SessionTarget,
  token: string,
): Promise<RespondentSession | undefined> {
  const row = await db(context)
    .selectFrom('respondent_session')
    .select(['hash', 'tokens', 'attempt'])
    .where('hash', '=', hashOf(context, token))
    .where('collector_id', '=', collectorId)
    .where('endpoint', '=', endpoint)
    .where('created_at', '>', new Date(context.now.getTime() - SESSION_LIFETIME_MS).toISOString())
    .executeTakeFirst()
  const tokens = row && unsealTokens(context, row.tokens)
  return tokens && { hash: row.hash, tokens, attempt: row.attempt }
}

/** Reads the stored tokens of a session; undefined if the session has ended. */
export async function readTokens(context: PublicContext, { hash }: RespondentSession): Promise<Tokens | undefined> {
  const query = db(context).selectFrom('respondent_session').select('tokens').where('hash', '=', hash)
  const row = await query.executeTakeFirst()
  return row && unsealTokens(context, row.tokens)
}

function unsealTokens({ services }: PublicContext, text: string): Tokens | undefined {
  const json = unseal(services.secretKey, SEAL_PURPOSE, text)
  return json === undefined ? undefined : (JSON.parse(json) as Tokens)
}

/** Stores refreshed tokens of a session. */
export async function saveTokens(context: PublicContext, { hash }: RespondentSession, tokens: Tokens): Promise<void> {
  const renewed = { tokens: sealTokens(context, tokens) }
  await db(context).updateTable('respondent_session').set(renewed).where('hash', '=', hash).execute()
}

/** Resets the number of attempts after a session got access. */
export async function resetAttempts(context: PublicContext, { hash }: RespondentSession): Promise<void> {
  await db(context).updateTable('respondent_session').set({ attempt: 0 }).where('hash', '=', hash).execute()
}

/** Ends a session. */
export async function endRespondentSession(context: PublicContext, { hash }: RespondentSession): Promise<void> {
  await db(context).deleteFrom('respondent_session').where('hash', '=', hash).execute()
}

/**
 * Deletes expired sessions.
 * @returns the number of deleted sessions
 */
export async function purgeRespondentSessions(context: PublicContext, signal: AbortSignal): Promise<number> {
  const before = new Date(context.now.getTime() - SESSION_LIFETIME_MS).toISOString()
  const sessions = db(context).selectFrom('respondent_session').select('hash')
  const expired = sessions.where('created_at', '<=', before).orderBy('created_at')
  const deletion = db(context)
    .deleteFrom('respondent_session')
    .where('hash', '=', anyOfRows(expired.limit(DELETE_BATCH_ROWS)))
  return deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
}
