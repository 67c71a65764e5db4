import type { EntityManager } from '@mikro-orm/postgresql'
import { digest } from '../../lib/token.ts'
import type { Actor } from '../actor.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import { recordThrottled } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { Account, toActor } from './account.ts'
import { ApiKey } from './api-key.ts'
import { verifyDeviceToken } from './device-token.ts'
import { type LoginOrigin, throttled, throttleKey } from './login-throttle.ts'
import { hashPassword, passwordMatches } from './password.ts'

/** Checked against when nobody has the given name, so that a stranger learns nothing from the time it takes. */
const dummyHash = hashPassword('nobody has this password')

const findActiveKey = (em: EntityManager, secretKey: Buffer, text: string) =>
  em.findOne(
    ApiKey,
    { hash: digest(secretKey, text), revokedAt: null },
    { populate: ['account', 'account.passwordHash'] },
  )

/** A password longer than any we keep costs no hash. */
const MAX_PASSWORD_CHARACTERS = 1000

/**
 * Whether the password is the account's. Wrong ones are counted for the account, and for whoever tries, whatever the account.
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
  const subject = account ? `account ${account.id}` : `name ${name}`
  const { limits } = services
  const source = throttleKey({ ...origin, device })
  // A developer's program signs many people in.
  const failures = origin.agent ? limits.apiFailures : limits.signInFailures
  await failures.check(source)
  const tried = throttled(context, subject, { ...origin, device }, async () => {
    // Counted before it is looked at, so that many at once are counted as well.
    await failures.consume(source)
    const phc = account?.passwordHash ?? (await dummyHash)
    const matches =
      password.length <= MAX_PASSWORD_CHARACTERS && (await limits.checkPassword(() => passwordMatches(phc, password)))
    if (matches && account) await failures.refund(source)
    return (matches && account) || undefined
  })
  const right = await tried.catch(async (error) => {
    if (account && (error as { code?: string }).code === 'too_many_attempts')
      await recordThrottled({ ...context, ipAddress: origin.ipAddress }, account.id, 'locked_out')
    throw error
  })
  if (!right && account)
    await recordThrottled(
      { ...context, ipAddress: origin.ipAddress },
      account.id,
      'sign_in_failed',
      {},
      { same: false },
    )
  return right !== undefined
}

/**
 * Returns the account of a pair of Basic credentials: (API key, password), (user name or e-mail, password) or
 * (user name or e-mail, API key); see docs/specification.md 3.1.
 * @throws {Problem} `unauthenticated`, `too_many_attempts`, `too_many_requests`
 */
export async function authenticateBasic(
  context: PublicContext,
  name: string,
  secret: string,
  origin: LoginOrigin,
): Promise<Actor> {
  const { limits } = context.services
  const source = throttleKey(origin)
  await limits.apiFailures.check(source)
  const actor = await findByCredentials(context, name, secret, origin)
  if (actor) return actor
  await limits.countApiFailure(source, `${name}:${secret}`)
  throw problems.invalidCredentials()
}

async function findByCredentials(
  context: PublicContext,
  name: string,
  secret: string,
  origin: LoginOrigin,
): Promise<Actor | undefined> {
  const { em, services } = context
  const byKey = await findActiveKey(em, services.secretKey, name)
  const account = byKey ? byKey.account.unwrap() : await findAccountByLogin(em, name)
  if (account && !byKey) {
    const key = await findActiveKey(em, services.secretKey, secret)
    if (key && key.account.id === account.id) return toActor(account)
  }
  return (await verifyPassword(context, account, name, secret, origin)) && account ? toActor(account) : undefined
}

/** Somebody who knows the password, and what was stored of it when it was looked at. */
export interface VerifiedLogin {
  actor: Actor
  passwordHash: string
}

/**
 * Whom a user name or e-mail address and a password belong to; no API key stands in for either. Whatever is opened
 * on the strength of it asks {@link lockPasswordRow} first.
 * @throws {Problem} `unauthenticated`, `too_many_attempts`
 */
export async function authenticateByPassword(
  context: PublicContext,
  name: string,
  password: string,
  origin: LoginOrigin,
): Promise<VerifiedLogin> {
  const account = await findAccountByLogin(context.em, name)
  if (!(await verifyPassword(context, account, name, password, origin)) || !account) throw problems.invalidLogin()
  return { actor: toActor(account), passwordHash: account.passwordHash }
}

/**
 * Keeps a proven password as it is until the end of the transaction: looking at one takes long enough for it to be
 * changed meanwhile, and what the change ends must not be opened right after it.
 * @throws {Problem} `unauthenticated` where it has been changed
 */
export async function lockPasswordRow({ em }: PublicContext, { actor, passwordHash }: VerifiedLogin): Promise<void> {
  const same = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('id')
    .where('id', '=', actor.id)
    .where('password_hash', '=', passwordHash)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!same) throw problems.invalidLogin()
}

/**
 * The developer account behind an API key. Wrong keys are counted for the network that they come from.
 * @throws {Problem} `unauthenticated`, `too_many_requests`
 */
export async function authenticateDeveloper(
  { em, services }: PublicContext,
  key: string,
  ipAddress: string,
): Promise<Actor> {
  const source = throttleKey({ ipAddress })
  await services.limits.apiFailures.check(source)
  const found = await findActiveKey(em, services.secretKey, key)
  const account = found?.account.unwrap()
  if (account?.isDeveloper) return toActor(account)
  await services.limits.countApiFailure(source, key)
  throw problems.developerKeyRequired()
}

/** The account with this user name or e-mail address, in any case, with its password hash loaded. */
export async function findAccountByLogin(em: EntityManager, name: string): Promise<Account | null> {
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
