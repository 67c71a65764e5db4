import { sql } from 'kysely'
import { digest, randomCode } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { RequestLimits } from '../request-limits.ts'
import type { Tables } from '../tables.ts'
import { Account } from './account.ts'
import { setPassword, verifyCurrentPassword } from './change-password.ts'
import { findAccountByLogin } from './credentials.ts'
import { requestEmailChange, setEmail } from './email-change.ts'
import type { LoginOrigin } from './login-throttle.ts'
import { hashPassword, passwordError, passwordMatches } from './password.ts'

export interface NewAccount {
  username: string
  email: string
  password: string
  name?: string
  isDeveloper?: boolean
  isAdministrator?: boolean
  /** Id of the developer account that creates this account. */
  openedBy?: number
}

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/**
 * Checks the username, email address and password of a new account.
 * @throws {Problem} `invalid_request` with one error per invalid field
 */
function checkAccount({ username, email, password }: NewAccount): void {
  const errors: FieldError[] = []
  if (!USERNAME.test(username)) errors.push(fieldError('username', 'invalid_name', {}, detail('login_name')))
  if (!isEmailAddress(readEmailAddress(email))) errors.push(fieldError('email', 'invalid_email'))
  const error = passwordError(password, [username, email])
  if (error) errors.push({ field: 'password', ...error })
  if (errors.length) throw problems.invalid(errors)
}

/**
 * Creates an account. A database constraint ensures that usernames and email addresses are unique, regardless of case.
 * @throws {Problem} `invalid_request` with one error per invalid field, `username_taken`, `email_taken`
 */
export async function createAccount({ em, now }: PublicContext, draft: NewAccount): Promise<Account> {
  checkAccount(draft)
  const account = em.create(Account, {
    username: draft.username,
    email: readEmailAddress(draft.email),
    name: draft.name ?? '',
    passwordHash: await hashPassword(draft.password),
    isDeveloper: draft.isDeveloper ?? false,
    isAdministrator: draft.isAdministrator ?? false,
    openedBy: draft.openedBy ?? null,
    createdAt: now,
  })
  await em.flush()
  return account
}

interface NewUser {
  email: string
  /** If absent, derived from the email address. */
  username?: string | undefined
  /** If absent, generated. */
  password?: string | undefined
}

const GENERATED_PASSWORD_CHARACTERS = 16
const MAX_DERIVED_USERNAME_CHARACTERS = 58

/** Derives a username from the part of an email address before the @. */
const usernameFromEmail = (email: string): string =>
  email
    .split('@', 1)[0]!
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_DERIVED_USERNAME_CHARACTERS)
    .toLowerCase() || 'user'

/** Returns a username that is derived from an email address and that no account has. */
export async function availableUsername({ em }: PublicContext, email: string): Promise<string> {
  const base = usernameFromEmail(email)
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('username')
    .where((eb) => eb.fn<boolean>('starts_with', [eb.fn('lower', ['username']), eb.val(base)]))
    .execute()
  const usedNames = new Set(rows.map(({ username }) => username.toLowerCase()))
  if (!usedNames.has(base)) return base
  let suffix = 2
  while (usedNames.has(`${base}-${suffix}`)) suffix += 1
  return `${base}-${suffix}`
}

/**
 * Creates an account for another person, on behalf of a developer account.
 * @returns the account; if no password was given, also the generated password, which cannot be read again
 * @throws {Problem} `forbidden` unless the actor is a developer account, `invalid_request`, `username_taken`,
 *   `email_taken`
 */
export async function createUser(
  context: Context,
  { email: written, username, password }: NewUser,
): Promise<{ account: Account; generated: string | undefined }> {
  if (!context.actor.isDeveloper) throw problems.forbidden('create accounts. Only developer accounts can')
  const email = readEmailAddress(written)
  if (!isEmailAddress(email)) throw problems.invalidField('email', 'invalid_email')
  const generated = password ? undefined : randomCode(GENERATED_PASSWORD_CHARACTERS)
  const account = await createAccount(context, {
    email,
    username: username || (await availableUsername(context, email)),
    password: password || generated!,
    openedBy: context.actor.id,
  })
  return { account, generated }
}

const MAX_NAME_CHARACTERS = 200

/**
 * Changes the name and the email address of the actor. Links sent to the email address can reset the password. Changing
 * the address therefore requires the password, and the new address takes effect when the actor confirms it.
 * @returns the new address, which must be confirmed; undefined if the address did not change, or only upper and lower
 *   case changed, which takes effect immediately
 * @throws {Problem} `invalid_request` (in `current` for a wrong password), `email_taken`, `too_many_attempts`,
 *   `too_many_requests`
 */
export async function changeProfile(
  context: Context,
  change: { name: string; email: string; password: string },
  origin: LoginOrigin,
): Promise<string | undefined> {
  const { em, actor } = context
  const name = change.name.trim()
  const email = readEmailAddress(change.email)
  if (name.length > MAX_NAME_CHARACTERS) throw problems.invalidField('name', 'too_long', { max: MAX_NAME_CHARACTERS })
  if (!isEmailAddress(email)) throw problems.invalidField('email', 'invalid_email')
  const isNew = email.toLowerCase() !== actor.email.toLowerCase()
  if (isNew) await verifyCurrentPassword(context, change.password, origin)
  const account = await em.findOneOrFail(Account, actor.id, { failHandler: problems.userNotFound })
  em.assign(account, isNew ? { name } : { name, email })
  await em.flush()
  await context.services.invalidateCredentials(em, [actor.id])
  if (isNew) await requestEmailChange(context, email)
  return isNew ? email : undefined
}

/**
 * Changes the language and the time zone of the pages of the actor.
 * @param change a language must be one that the pages offer; null: the language or time zone of the browser
 * @throws {Problem} `invalid_request` for an unknown time zone
 */
export async function changeLocale(
  { em, actor }: Context,
  change: { language: string | null; timeZone: string | null },
): Promise<void> {
  if (change.timeZone !== null && !(await isTimeZone(em, change.timeZone)))
    throw problems.invalidField('time_zone', 'invalid_value')
  const account = await em.findOneOrFail(Account, actor.id, { failHandler: problems.userNotFound })
  em.assign(account, change)
  await em.flush()
}

/**
 * Returns whether Node.js and PostgreSQL know a time zone. Node.js converts the times of pages, and PostgreSQL converts
 * those of daily emails.
 */
export async function isTimeZone(em: Context['em'], name: string): Promise<boolean> {
  if (name === 'UTC' || knownZones.has(name)) return true
  if (!Intl.supportedValuesOf('timeZone').includes(name)) return false
  const { rows } = await sql`select from pg_timezone_names where name = ${name}`.execute(em.getKysely<Tables>())
  if (rows.length > 0) knownZones.add(name)
  return rows.length > 0
}

/** The names that were found, because the list of PostgreSQL is read from files. */
const knownZones = new Set<string>()

/** A plan defined by the setting `RATE_LIMITS`. Each plan has its own limit of API requests. */
interface Plan {
  name: string
  description: string
}

const FEATURES = 'Every feature, without limits on surveys, responses or contacts.'

/**
 * Returns a plan by name.
 * @throws {Problem} `plan_not_found`
 */
export function findPlan(limits: RequestLimits, name: string): Plan {
  const limit = limits.limitOf(name)
  if (!limit) throw problems.planNotFound()
  const { requests, seconds } = limit
  return { name, description: requests ? `${FEATURES} API requests: ${requests} in ${seconds} seconds.` : FEATURES }
}

/**
 * Sets the plan of an account. The limit of the plan applies from the next request on.
 * @throws {Problem} `plan_not_found`
 */
export async function setPlan({ em, services }: PublicContext, account: Account, plan: string): Promise<void> {
  account.plan = findPlan(services.requestLimits, plan).name
  await em.flush()
  await services.invalidateCredentials(em, [account.id])
}

/** The name of the API key that is set by `ADMIN_API_KEY`. */
export const ADMIN_KEY_NAME = 'ADMIN_API_KEY'

/** The administrator account of the settings (`ADMIN_USERNAME` and others). */
export type AdminSettings = NewAccount & { apiKey?: string | undefined }

/**
 * Creates the administrator account of the settings, or updates and enables it. Finds the account only by its username, because
 * anyone can register with any email address. If an existing account becomes a developer account, all its earlier
 * credentials are revoked.
 * @returns `keyWorks`: false if the API key of the settings has been revoked, because a revoked key stays revoked
 * @throws {Problem} `email_taken` if another account has the address, `invalid_request`
 */
export async function upsertAdmin(context: PublicContext, admin: AdminSettings): Promise<{ keyWorks: boolean }> {
  checkAccount(admin)
  const { em } = context
  const existing = await findAccountByLogin(em, admin.username)
  const emailOwner = await findAccountByLogin(em, admin.email)
  if (emailOwner && emailOwner.id !== existing?.id)
    throw problems.emailTaken(
      `ADMIN_EMAIL: ${admin.email} is the address of the account "${emailOwner.username}". Set another address, or first give that account another one: canvass email ${emailOwner.username} <address>`,
    )
  const account = existing ?? (await createAccount(context, { ...admin, isDeveloper: true, isAdministrator: true }))
  const isPromoted = existing?.isDeveloper === false
  if (existing) await updateAdmin(context, existing, admin, isPromoted)
  return { keyWorks: await syncAdminApiKey(context, account, admin.apiKey, isPromoted) }
}

async function updateAdmin(
  context: PublicContext,
  account: Account,
  { username, email, password }: AdminSettings,
  isPromoted: boolean,
): Promise<void> {
  const { em, services } = context
  const isSameEmail = account.email === email
  em.assign(account, { username, isDeveloper: true, isAdministrator: true, disabledAt: null })
  await em.flush()
  // An unchanged password is not set again, because that would end all sessions whenever the server starts.
  if (isPromoted || !(await passwordMatches(account.passwordHash, password)))
    await setPassword(context, account.id, password, { applications: false })
  if (!isSameEmail) await setEmail(context, account.id, email)
  await services.invalidateCredentials(em, [account.id])
}

/**
 * Stores the API key of the settings for the account, and revokes the keys that the setting contained before. Earlier
 * versions stored such keys without a name.
 * @returns false if the key has been revoked
 */
async function syncAdminApiKey(
  { em, now, services }: PublicContext,
  { id }: Account,
  key: string | undefined,
  isPromoted: boolean,
): Promise<boolean> {
  const db = em.getKysely<Tables>()
  const hash = key === undefined ? undefined : digest(services.secretKey, key)
  let revoked = db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('account_id', '=', id)
    .where('revoked_at', 'is', null)
  if (!isPromoted) revoked = revoked.where('name', 'in', hash ? [ADMIN_KEY_NAME, ''] : [ADMIN_KEY_NAME])
  if (hash) revoked = revoked.where('hash', '!=', hash)
  await revoked.execute()
  if (!hash) return true
  const { revoked_at } = await db
    .insertInto('api_key')
    .values({ account_id: id, hash, name: ADMIN_KEY_NAME, hint: key!.slice(-4), created_at: now, revoked_at: null })
    // If another account had this key, the key is moved to the account of the settings.
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ account_id: id, name: ADMIN_KEY_NAME }))
    .returning('revoked_at')
    .executeTakeFirstOrThrow()
  return revoked_at === null
}
