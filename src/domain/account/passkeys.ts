import { randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { sql } from 'kysely'
import { digest } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import { recordThrottled } from '../security/record.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'
import { verifyCurrentPassword } from './change-password.ts'
import type { LoginOrigin } from './login-throttle.ts'
import { addRecoveryCodes, recordFactorChange, removeSecondFactor } from './second-factor.ts'
import { useOnce } from './use-once.ts'

/** A challenge expires after this time. */
export const CHALLENGE_MS = 300_000
const MAX_PASSKEYS = 20
const MAX_NAME_CHARACTERS = 60
/** Ed25519, ECDSA with P-256, RSA: what authenticators have (COSE, RFC 9053). */
const ALGORITHMS = [-8, -7, -257]

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/** Browsers bind a passkey to the host of `BASE_URL`, and accept a reply from its origin only. */
const relyingParty = ({ baseUrl }: Services) => ({ id: new URL(baseUrl).hostname, origin: new URL(baseUrl).origin })

/** Returns whether browsers create passkeys for this server: its host has a name, and HTTPS or `localhost`. */
export function offersPasskeys({ baseUrl }: Services): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  const isName = isIP(hostname) === 0 && !hostname.startsWith('[')
  return isName && (protocol === 'https:' || /(^|\.)localhost$/.test(hostname))
}

export const newChallenge = (): string => randomBytes(32).toString('base64url')

/** A passkey as its account sees it. */
export interface Passkey {
  id: number
  name: string
  createdAt: Date
  /** Null: never. */
  usedAt: Date | null
}

/** Returns the passkeys of the actor, first created first. */
export async function listPasskeys(context: Context): Promise<Passkey[]> {
  const rows = await db(context)
    .selectFrom('passkey')
    .select(['id', 'name', 'created_at', 'used_at'])
    .where('account_id', '=', context.actor.id)
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, created_at, used_at }) => ({
    id,
    name,
    createdAt: new Date(created_at),
    usedAt: used_at === null ? null : new Date(used_at),
  }))
}

/** Returns a passkey of the actor. @throws {Problem} `passkey_not_found` */
export async function findPasskey(context: Context, id: number): Promise<Passkey> {
  const found = (await listPasskeys(context)).find((each) => each.id === id)
  if (!found) throw problems.passkeyNotFound()
  return found
}

const credentialsOf = async (context: PublicContext, accountId: number) => {
  const rows = await db(context)
    .selectFrom('passkey')
    .select(['credential_id', 'transports'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()
  return rows.map(({ credential_id, transports }) => ({
    type: 'public-key',
    id: credential_id.toString('base64url'),
    transports,
  }))
}

/** Identifies the account in the authenticator, and says nothing about it (Web Authentication, 14.6.1). */
const userHandleOf = ({ actor, services }: Context): Buffer => digest(services.secretKey, `passkey user ${actor.id}`)

/** Returns what `navigator.credentials.create` needs, as JSON. */
export async function creationOptions(context: Context, challenge: string) {
  const { actor, services } = context
  return {
    rp: { id: relyingParty(services).id, name: 'Canvass' },
    user: {
      id: userHandleOf(context).toString('base64url'),
      name: actor.username,
      displayName: actor.name || actor.username,
    },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    excludeCredentials: await credentialsOf(context, actor.id),
  }
}

/**
 * Returns what `navigator.credentials.get` needs, as JSON.
 * @param accountId the account that has entered its password; without it, the authenticator verifies the person and says
 *   whose passkey it is
 */
export async function requestOptions(context: PublicContext, challenge: string, accountId?: number) {
  return {
    rpId: relyingParty(context.services).id,
    challenge,
    timeout: CHALLENGE_MS,
    userVerification: accountId === undefined ? 'required' : 'preferred',
    ...(accountId !== undefined && { allowCredentials: await credentialsOf(context, accountId) }),
  }
}

/**
 * Checks that the actor may add a passkey.
 * @returns the name as it is stored
 * @throws {Problem} `invalid_request` in `name` or `current`, `too_many_attempts`
 */
export async function beginPasskey(
  context: Context,
  { name, password }: { name: string; password: string },
  origin: LoginOrigin & { session: number },
): Promise<string> {
  const checked = checkName(name, 'name', MAX_NAME_CHARACTERS)
  await verifyCurrentPassword(context, password, origin)
  if ((await listPasskeys(context)).length >= MAX_PASSKEYS)
    throw problems.invalidField('name', 'too_many', { max: MAX_PASSKEYS })
  return checked
}

/** A challenge, and what the browser says it has signed. */
export interface Signed {
  challenge: string
  /** When the challenge was made. */
  at: number
  /** The reply of the browser, JSON. */
  credential: string
}

/**
 * Adds a passkey to the account of the actor.
 * @returns the recovery codes of a first second factor, which cannot be read again
 * @throws {Problem} `unauthenticated` if the reply is not valid
 */
export async function addPasskey(
  context: Context,
  name: string,
  signed: Signed,
  session: number,
): Promise<string[] | undefined> {
  const { actor, now } = context
  const credential = await verifyCreation(context, signed)
  const { numInsertedOrUpdatedRows } = await db(context)
    .insertInto('passkey')
    .values({
      account_id: actor.id,
      credential_id: Buffer.from(credential.id, 'base64url'),
      public_key: Buffer.from(credential.publicKey),
      user_handle: userHandleOf(context),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((each) => /^[a-z-]{1,20}$/.test(each)).slice(0, 8),
      name,
      created_at: now,
      used_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) throw problems.invalidLogin()
  await recordFactorChange(context, actor.id, 'passkey_added', { name })
  return addRecoveryCodes(context, session)
}

async function verifyCreation(context: Context, signed: Signed) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { id, origin } = relyingParty(context.services)
  try {
    const response = parseReply<RegistrationResponseJSON>(signed)
    await refuseCertificates(response.response.attestationObject)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: signed.challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) throw new Error('not verified')
    if (!(await isFirstUse(context, signed))) throw new Error('used')
    return registrationInfo.credential
  } catch (error) {
    throw rejectionOf(error)
  }
}

/**
 * Refuses an attestation with certificates. None is asked for, and the library would download revocation lists from the
 * addresses in them.
 */
async function refuseCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  if (attestation.get('attStmt').get('x5c')) throw new Error('has certificates')
}

const MAX_REPLY_CHARACTERS = 32_768

function parseReply<Reply>({ credential }: Signed): Reply {
  if (credential.length > MAX_REPLY_CHARACTERS) throw new Error('too long')
  return JSON.parse(credential) as Reply
}

const isFirstUse = (context: PublicContext, { challenge, at }: Signed): Promise<boolean> =>
  useOnce(context, `passkey ${challenge}`, new Date(at + 2 * CHALLENGE_MS))

/** The library throws errors without a type for what the browser sent. Errors of the database have a code. */
function rejectionOf(error: unknown): unknown {
  return (error as { code?: unknown }).code === undefined ? problems.invalidLogin() : error
}

/**
 * Verifies a passkey. Call it inside the transaction of the sign-in.
 * @param accountId the account that has entered its password; without it, the authenticator must have verified the person
 * @returns the account
 * @throws {Problem} `unauthenticated` if the passkey is unknown, or its reply is not valid
 */
export async function usePasskey(
  context: PublicContext,
  signed: Signed,
  accountId?: number,
): Promise<{ accountId: number; isDeveloper: boolean }> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id: rpId, origin } = relyingParty(context.services)
  let owner: number | undefined
  try {
    const response = parseReply<AuthenticationResponseJSON>(signed)
    const passkey = await lockPasskey(context, String(response.id))
    owner = passkey.account_id
    if (accountId !== undefined && owner !== accountId) throw new Error('of another account')
    const handle = Buffer.from(response.response.userHandle ?? '', 'base64url')
    const isOwner = handle.length === passkey.user_handle.length && timingSafeEqual(handle, passkey.user_handle)
    // An authenticator that knows for whom it signs must say so (Web Authentication, 7.2).
    if (!isOwner && (accountId === undefined || handle.length > 0)) throw new Error('of another user')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: signed.challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: accountId === undefined,
      credential: {
        id: passkey.credential_id.toString('base64url'),
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
      },
    })
    if (!verified) throw new Error('not verified')
    if (!(await isFirstUse(context, signed))) throw new Error('used')
    await db(context)
      .updateTable('passkey')
      .set({ counter: authenticationInfo.newCounter, used_at: context.now })
      .where('id', '=', passkey.id)
      .execute()
    return { accountId: owner, isDeveloper: passkey.is_developer }
  } catch (error) {
    const rejection = rejectionOf(error)
    if (rejection !== error && owner !== undefined)
      await recordThrottled(context, owner, 'sign_in_failed', { by: 'passkey' })
    throw rejection
  }
}

/** Returns a passkey and locks it, so that two replies with the same counter are compared one after the other. */
async function lockPasskey(context: PublicContext, credentialId: string) {
  const row = await db(context)
    .selectFrom('passkey')
    .innerJoin('account', 'account.id', 'account_id')
    .select(['passkey.id', 'account_id', 'credential_id', 'public_key', 'user_handle', 'counter', 'is_developer'])
    .where('credential_id', '=', Buffer.from(credentialId, 'base64url'))
    .forUpdate('passkey')
    .executeTakeFirst()
  if (!row) throw new Error('unknown')
  return row
}

/** Gives a passkey of the actor another name. @throws {Problem} `passkey_not_found`, `invalid_request` in `name` */
export async function renamePasskey(context: Context, id: number, name: string): Promise<void> {
  const { numUpdatedRows } = await db(context)
    .updateTable('passkey')
    .set({ name: checkName(name, 'name', MAX_NAME_CHARACTERS) })
    .where('id', '=', id)
    .where('account_id', '=', context.actor.id)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw problems.passkeyNotFound()
}

/**
 * Removes a passkey of the actor. With the last one, the second factor is off, unless there is an app for codes.
 * @throws {Problem} `passkey_not_found`, `invalid_request` in `current`, `too_many_attempts`, `second_factor_required`
 */
export async function removePasskey(
  context: Context,
  id: number,
  password: string,
  origin: LoginOrigin,
): Promise<void> {
  const { actor, services } = context
  const { name } = await findPasskey(context, id)
  await verifyCurrentPassword(context, password, origin)
  await db(context).deleteFrom('passkey').where('id', '=', id).where('account_id', '=', actor.id).execute()
  await recordFactorChange(context, actor.id, 'passkey_removed', { name })
  const other = await db(context)
    .selectFrom('second_factor')
    .select('account_id')
    .where('account_id', '=', actor.id)
    .where(sql<boolean>`secret <> '' or exists (select from passkey where account_id = ${actor.id})`)
    .forUpdate()
    .executeTakeFirst()
  if (other) return
  if (services.signIn.secondFactor === 'required') throw problems.secondFactorRequired()
  await removeSecondFactor(context, actor.id)
}
