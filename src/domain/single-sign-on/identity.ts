import { randomToken } from '../../lib/secrets.ts'
import { availableUsername, createAccount } from '../account/commands.ts'
import { findAccountByLogin } from '../account/credentials.ts'
import { throttleKey } from '../account/login-throttle.ts'
import type { Context, PublicContext } from '../context.ts'
import { isEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import type { SignInProvider } from './provider.ts'

/** A person at an OpenID provider. Issuer and subject identify the person; the address can change. */
export interface Identity {
  issuer: string
  subject: string
  email: string
}

/** What becomes of a person who has signed in at a provider. */
export type Arrival =
  /** The identity is connected to this account. */
  | { as: 'account'; accountId: number }
  /** The account with the address of the person can be connected without its password. */
  | { as: 'connect'; accountId: number }
  /** The account with the address of the person can be connected with its password. */
  | { as: 'password'; accountId: number; username: string }
  /** The person gets an account. */
  | { as: 'create' }
  | { as: 'refused'; reason: RefusalReason }

export type RefusalReason = 'no_email' | 'email_not_verified' | 'domain_not_allowed' | 'no_account'

const db = ({ em }: PublicContext) => em.getKysely<Tables>()

/**
 * Runs a request to a provider. Counts failures per network, so that a stranger cannot make this server send any number
 * of requests.
 * @throws {Problem} `too_many_requests`
 */
export async function limitLogins<Result>(
  { services: { limits } }: PublicContext,
  ipAddress: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const source = throttleKey({ ipAddress })
  await limits.signInFailures.check(source)
  try {
    return await run()
  } catch (error) {
    await limits.signInFailures.consume(source)
    throw error
  }
}

/** Returns what becomes of a person who has signed in at a provider. Writes nothing. */
export async function judgeArrival(
  context: PublicContext,
  provider: SignInProvider,
  person: Parameters<SignInProvider['isVerified']>[0],
): Promise<Arrival> {
  const known = await db(context)
    .selectFrom('external_identity')
    .select('account_id')
    .where('issuer', '=', person.issuer)
    .where('subject', '=', person.subject)
    .executeTakeFirst()
  if (known) return { as: 'account', accountId: known.account_id }
  if (!isEmailAddress(person.email)) return { as: 'refused', reason: 'no_email' }
  if (!provider.isVerified(person)) return { as: 'refused', reason: 'email_not_verified' }
  if (!provider.allowsDomain(person)) return { as: 'refused', reason: 'domain_not_allowed' }
  const account = await findAccountByLogin(context.em, person.email)
  if (!account) return provider.createsAccounts ? { as: 'create' } : { as: 'refused', reason: 'no_account' }
  // Somebody else knows the password of an account that a developer account made, and could have made it for an address
  // of another person. A developer or an administrator has more rights than an address can prove.
  const hasMoreRights = account.isDeveloper || account.isAdministrator
  const needsPassword = !provider.connectsByEmail || hasMoreRights || account.openedBy !== null
  return needsPassword
    ? { as: 'password', accountId: account.id, username: account.username }
    : { as: 'connect', accountId: account.id }
}

/**
 * Connects an identity to an account.
 * @throws {Problem} `identity_taken` if it is connected to another account
 */
export async function connectIdentity(
  context: PublicContext,
  provider: SignInProvider,
  { issuer, subject, email }: Identity,
  accountId: number,
): Promise<void> {
  const connected = await db(context)
    .insertInto('external_identity')
    .values({ issuer, subject, account_id: accountId, email, created_at: context.now, used_at: context.now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ used_at: context.now }))
    .returning('account_id')
    .executeTakeFirstOrThrow()
  if (connected.account_id !== accountId) throw problems.identityTaken()
  await recordSecurityEvent(context, accountId, 'identity_connected', { provider: provider.id })
}

/** Creates an account for a person, with an unknown password, and connects the identity. @returns the account id */
export async function createConnectedAccount(
  context: PublicContext,
  provider: SignInProvider,
  person: Identity & { name: string },
): Promise<number> {
  const username = await availableUsername(context, person.email)
  const { id } = await createAccount(context, {
    username,
    email: person.email,
    name: person.name.slice(0, MAX_NAME_CHARACTERS),
    password: randomToken(),
  })
  await connectIdentity(context, provider, person, id)
  return id
}
const MAX_NAME_CHARACTERS = 200

/** Stores that an identity has been used, and its present address. */
export async function useIdentity(context: PublicContext, { issuer, subject, email }: Identity): Promise<void> {
  await db(context)
    .updateTable('external_identity')
    .set({ used_at: context.now, ...(email && { email }) })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** An identity as its account sees it. */
export interface ConnectedIdentity {
  id: number
  issuer: string
  email: string
  usedAt: Date
}

/** Returns the identities of the actor, first connected first. */
export async function listIdentities(context: Context): Promise<ConnectedIdentity[]> {
  const rows = await db(context)
    .selectFrom('external_identity')
    .select(['id', 'issuer', 'email', 'used_at'])
    .where('account_id', '=', context.actor.id)
    .orderBy('id')
    .execute()
  return rows.map(({ used_at, ...row }) => ({ ...row, usedAt: new Date(used_at) }))
}

/**
 * Disconnects an identity of the actor.
 * @throws {Problem} `identity_not_found`
 */
export async function disconnectIdentity(context: Context, id: number): Promise<void> {
  const { numDeletedRows } = await db(context)
    .deleteFrom('external_identity')
    .where('id', '=', id)
    .where('account_id', '=', context.actor.id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw problems.identityNotFound()
  await recordSecurityEvent(context, context.actor.id, 'identity_disconnected')
}
