import { digest, randomCode } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { Account } from './account.ts'
import { ApiKey } from './api-key.ts'
import { hashPassword, passwordError } from './password.ts'

export interface NewAccount {
  username: string
  email: string
  password: string
  name?: string
  isDeveloper?: boolean
  /** Id of the developer account that creates this account. */
  openedBy?: number
}

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/**
 * Checks the username, email address and password of a new account.
 * @throws {Problem} `invalid_request` with one error per invalid field
 */
export function checkAccount({ username, email, password }: NewAccount): void {
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
    openedBy: draft.openedBy ?? null,
    createdAt: now,
  })
  await em.flush()
  return account
}

/**
 * Creates an API key for an account, unless the key exists already.
 * @returns the key, which cannot be read again
 */
export async function issueApiKey(
  context: PublicContext,
  account: Account,
  key = randomCode(40),
  name = '',
): Promise<string> {
  const { em, now, services } = context
  const hash = digest(services.secretKey, key)
  if (await em.findOne(ApiKey, { hash })) return key
  const apiKey = em.create(ApiKey, { account, hash, name, hint: key.slice(-4), createdAt: now })
  await em.flush()
  await recordSecurityEvent(context, account.id, 'api_key_created', { key: apiKey.id })
  return key
}
