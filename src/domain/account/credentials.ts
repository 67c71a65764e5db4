import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { digest } from '../../lib/secrets.ts'
import { withoutFormat } from '../../lib/strings.ts'
import type { Actor, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { recordThrottled } from '../security/record.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'
import { Account, toActor } from './account.ts'
import { type ApiKey, findActiveKey, touchApiKey } from './api-keys.ts'
import { type LoginOrigin, throttled, throttleKey } from './login-throttle.ts'
import { hashPassword, passwordMatches } from './password.ts'

/**
 * A hash that is compared with the password if no account has the given name, so that the response time does not reveal
 * whether an account exists.
 */
const dummyHash = hashPassword('no account has this password')

/** Returns whether an account needs a second factor to sign in with its password. */
export async function hasSecondFactor({ em }: PublicContext, accountId: number): Promise<boolean> {
  const db = em.getKysely<Tables>()
  const row = await db
    .selectFrom('second_factor')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row !== undefined
}

/** An account that a request has proved to be, and what its credentials allow. */
export interface Access {
  actor: Actor
  /** Whether only requests that change nothing are allowed. */
  isReadOnly: boolean
  /** Null: the credentials do not expire. */
  expiresAt: Date | null
}

/**
 * Returns whether a password belongs to an account. Counts wrong passwords per name, per account and per origin.
 * @throws {Problem} `too_many_attempts`, `too_many_requests`
 */
async function verifyPassword(
  context: PublicContext,
  account: Account | null,
  name: string,
  password: string,
  origin: LoginOrigin,
) {
  const { services } = context
  const device = account ? verifyDeviceToken(services, account.id, origin.device) : undefined
  // On a known device, the account has one budget. Elsewhere each name has one, and the account has another, so that the
  // replies do not reveal which names belong to an account.
  const [subject, shared] = !account
    ? [`name ${name}`, `name only ${name}`]
    : device
      ? [`account ${account.id}`]
      : [`name ${name}`, `account ${account.id}`]
  const { limits } = services
  const source = throttleKey({ ...origin, device })
  // The limit for failed logins does not apply to programs of developer accounts, because such a program signs in many
  // users. The limit for API credentials applies instead.
  const failures = origin.agent ? limits.apiFailures : limits.signInFailures
  await failures.check(source)
  const check = async () => {
    // The attempt is counted before the comparison, so that concurrent attempts are counted too.
    await failures.consume(source)
    const phc = account?.passwordHash ?? (await dummyHash)
    const matches = await limits.checkPassword(() => passwordMatches(phc, password))
    return (matches && account) || undefined
  }
  const login = throttled(context, subject!, { ...origin, device }, check, shared)
  const verified = await login.catch(async (error) => {
    if (account && (error as { code?: string }).code === 'too_many_attempts')
      await recordThrottled({ ...context, ipAddress: origin.ipAddress }, account.id, 'locked_out')
    throw error
  })
  if (verified) await failures.refund(source)
  if (!verified && account)
    await recordThrottled(
      { ...context, ipAddress: origin.ipAddress },
      account.id,
      'sign_in_failed',
      {},
      { skipEqual: false },
    )
  return verified !== undefined
}

/**
 * Returns the access of a pair of Basic credentials: (API key, password), (username or email, password) or
 * (username or email, API key); see docs/specification.md 3.1.
 * @throws {Problem} `unauthenticated`, `too_many_attempts`, `too_many_requests`
 */
export async function authenticateBasic(
  context: PublicContext,
  name: string,
  secret: string,
  origin: LoginOrigin,
): Promise<Access> {
  const { limits } = context.services
  const source = throttleKey(origin)
  await limits.apiFailures.check(source)
  const access = await findByCredentials(context, name, secret, origin)
  if (access) return access
  await limits.countApiFailure(source, `${name}:${secret}`)
  throw problems.invalidCredentials()
}

async function findByCredentials(
  context: PublicContext,
  name: string,
  secret: string,
  origin: LoginOrigin,
): Promise<Access | undefined> {
  const byKey = await findActiveKey(context, name)
  const account = byKey ? byKey.account.unwrap() : await findAccountByLogin(context.em, name)
  if (account && !byKey) {
    const key = await findActiveKey(context, secret)
    if (key && key.account.id === account.id) return accessWith(context, account, key)
  }
  if (!(await verifyPassword(context, account, name, secret, origin)) || !account) return undefined
  if (account.disabledAt) throw problems.accountDisabled()
  if (!byKey && (await hasSecondFactor(context, account.id))) throw problems.apiKeyRequired()
  return accessWith(context, account, byKey)
}

async function accessWith(context: PublicContext, account: Account, key: ApiKey | null): Promise<Access> {
  if (key) await touchApiKey(context, key)
  return { actor: toActor(account), isReadOnly: key?.isReadOnly ?? false, expiresAt: key?.expiresAt ?? null }
}

/** Returns whether an account may sign in to the pages with a password (`PASSWORD_SIGN_IN`). */
export const mayUsePassword = ({ signIn }: Services, { isDeveloper }: { isDeveloper: boolean }): boolean =>
  signIn.password || isDeveloper

/** A successful login by password, with the password hash at the time of the check. */
interface VerifiedLogin {
  actor: Actor
  passwordHash: string
}

/**
 * Returns the account of a username or email address and a password. API keys are not accepted. Call {@link
 * lockPasswordRow} before you create a session or token for the account.
 * @throws {Problem} `unauthenticated`, `too_many_attempts`, `too_many_requests`
 */
export async function authenticateByPassword(
  context: PublicContext,
  name: string,
  password: string,
  origin: LoginOrigin,
): Promise<VerifiedLogin> {
  const account = await findAccountByLogin(context.em, name)
  if (!(await verifyPassword(context, account, name, password, origin)) || !account) throw problems.invalidLogin()
  if (account.disabledAt) throw problems.accountDisabled()
  return { actor: toActor(account), passwordHash: account.passwordHash }
}

/**
 * Locks the account row until the commit and checks that the account is enabled and still has the verified password. Without this
 * check, a login with the old password could create a session just after a change of the password has ended all
 * sessions.
 * @throws {Problem} `unauthenticated` if the password has changed, or the account was disabled
 */
export async function lockPasswordRow({ em }: PublicContext, { actor, passwordHash }: VerifiedLogin): Promise<void> {
  const same = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('id')
    .where('id', '=', actor.id)
    .where('password_hash', '=', passwordHash)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!same) throw problems.invalidLogin()
}

/**
 * Checks that an account may sign in, and locks its row until the commit.
 * @throws {Problem} `unauthenticated`
 */
export async function assertEnabled({ em }: PublicContext, accountId: number): Promise<void> {
  const enabled = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!enabled) throw problems.accountDisabled()
}

/** Returns a mark of the password of an account, which changes with it and says nothing about it. */
const markOf = ({ services }: PublicContext, passwordHash: string): string =>
  digest(services.secretKey, `password mark ${passwordHash}`).toString('base64url')

/** Returns the mark of the present password of an account, and locks its row until the commit. */
export async function passwordMark(context: PublicContext, accountId: number): Promise<string | undefined> {
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('password_hash')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row && markOf(context, row.password_hash)
}

/**
 * Returns the developer account of an API key. Counts wrong keys per network.
 * @throws {Problem} `unauthenticated`, `too_many_requests`
 */
export async function authenticateDeveloper(context: PublicContext, key: string, ipAddress: string): Promise<Actor> {
  const { services } = context
  const source = throttleKey({ ipAddress })
  await services.limits.apiFailures.check(source)
  const found = await findActiveKey(context, key)
  const account = found?.account.unwrap()
  if (found && !found.isReadOnly && account?.isDeveloper) return (await accessWith(context, account, found)).actor
  await services.limits.countApiFailure(source, key)
  throw problems.developerKeyRequired()
}

/**
 * Finds an account by username or email address, regardless of case, outer spaces and format characters, and loads its
 * password hash.
 */
export async function findAccountByLogin(em: EntityManager, written: string): Promise<Account | null> {
  const name = withoutFormat(written)
  const row = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('id')
    .where(({ eb, fn, val }) =>
      eb.or([
        eb(fn<string>('lower', ['username']), '=', fn<string>('lower', [val(name)])),
        eb(fn<string>('lower', ['email']), '=', fn<string>('lower', [val(name)])),
      ]),
    )
    .executeTakeFirst()
  return row ? em.findOne(Account, row.id, { populate: ['passwordHash'] }) : null
}

const signatureOf = (services: Services, accountId: number, id: string): Buffer =>
  digest(services.secretKey, `device ${accountId} ${id}`)

/**
 * Issues a token that identifies a device (a browser) that signed in to an account. The token is not a credential. Its
 * only effect is that failed logins from a browser that sends it are counted separately from other failed logins to the
 * account.
 */
export function issueDeviceToken(services: Services, accountId: number): string {
  const id = randomBytes(12).toString('base64url')
  return `${id}.${signatureOf(services, accountId, id).toString('base64url')}`
}

/** Returns the device id in a token that was issued for this account; undefined for an invalid token. */
function verifyDeviceToken(services: Services, accountId: number, token: string | undefined): string | undefined {
  const [id = '', signature = ''] = token?.split('.') ?? []
  const actual = Buffer.from(signature, 'base64url')
  const expected = signatureOf(services, accountId, id)
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? id : undefined
}
