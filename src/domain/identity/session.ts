import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../../lib/seal.ts'
import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { anyOfRows, BATCH_ROWS, deleteInBatches } from '../delete-in-batches.ts'
import type { Tables } from '../tables.ts'
import type { Tokens } from './sign-in.ts'

/** A respondent who is signed in for one collector, in one browser. */
export interface RespondentSession {
  hash: Buffer
  tokens: Tokens
  /** How many sign-ins in a row this is the last of, none of which was good for anything yet; 0: this one was. */
  attempt: number
}

/** What the session is for: it ends when its survey asks elsewhere, so that no token goes to another system. */
export interface SessionTarget {
  collectorId: number
  endpoint: string
}

/** After so long respondents sign in again, in milliseconds. */
const SESSION_LIFETIME_MS = 86_400_000
const SEAL_PURPOSE = 'tokens of respondents'

const db = ({ em }: PublicContext) => em.getKysely<Tables>()
const hashOf = ({ services }: PublicContext, token: string) => digest(services.secretKey, `respondent session ${token}`)
const sealTokens = ({ services }: PublicContext, tokens: Tokens) =>
  seal(services.secretKey, SEAL_PURPOSE, JSON.stringify(tokens))

/**
 * Begins a session.
 * @param stateEchoed whether the identity system sent back the `state` of this sign-in
 * @returns its token: 256 bits, readable only in this answer
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
 * Returns whether the identity system of a place has sent `state` back for anybody who may still be signed in. A sign-in
 * that comes back without it is not accepted then: whoever forges one would leave it out.
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

/** The session of a token, if it is one of this place. */
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

/** The tokens of a session as they are now; undefined: it has ended. */
export async function readTokens(context: PublicContext, { hash }: RespondentSession): Promise<Tokens | undefined> {
  const found = db(context).selectFrom('respondent_session').select('tokens').where('hash', '=', hash)
  const row = await found.executeTakeFirst()
  return row && unsealTokens(context, row.tokens)
}

function unsealTokens({ services }: PublicContext, text: string): Tokens | undefined {
  const opened = unseal(services.secretKey, SEAL_PURPOSE, text)
  return opened === undefined ? undefined : (JSON.parse(opened) as Tokens)
}

/** Keeps the tokens that a refresh has brought. */
export async function saveTokens(context: PublicContext, { hash }: RespondentSession, tokens: Tokens): Promise<void> {
  const renewed = { tokens: sealTokens(context, tokens) }
  await db(context).updateTable('respondent_session').set(renewed).where('hash', '=', hash).execute()
}

/** Notes that a session was good for something. */
export async function resetAttempts(context: PublicContext, { hash }: RespondentSession): Promise<void> {
  await db(context).updateTable('respondent_session').set({ attempt: 0 }).where('hash', '=', hash).execute()
}

export async function endRespondentSession(context: PublicContext, { hash }: RespondentSession): Promise<void> {
  await db(context).deleteFrom('respondent_session').where('hash', '=', hash).execute()
}

/** Forgets the sessions that are over. @returns how many */
export async function purgeRespondentSessions(context: PublicContext, signal: AbortSignal): Promise<number> {
  const before = new Date(context.now.getTime() - SESSION_LIFETIME_MS).toISOString()
  const sessions = db(context).selectFrom('respondent_session').select('hash')
  const over = sessions.where('created_at', '<=', before).orderBy('created_at')
  const deletion = db(context)
    .deleteFrom('respondent_session')
    .where('hash', '=', anyOfRows(over.limit(BATCH_ROWS)))
  return deleteInBatches(signal, () => deletion.executeTakeFirstOrThrow())
}
