import { hash, verify } from '@node-rs/argon2'
import { detail } from '../error-details.ts'
import { type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { isCommonPassword } from './common-password.ts'

const MIN_PASSWORD_CHARACTERS = 8
const MAX_PASSWORD_CHARACTERS = 256
/**
 * Maximum length of a password that is hashed. No account has a longer password, so a longer text is rejected without
 * hashing it.
 */
const MAX_HASHED_CHARACTERS = 1_000

/**
 * Hashes a password with Argon2id: 19 MiB and 2 passes, the defaults of the library (OWASP Password Storage Cheat
 * Sheet).
 * @returns a PHC string
 */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFC'))

/** Returns whether a password matches a PHC string. */
export const passwordMatches = async (phc: string, password: string): Promise<boolean> =>
  password.length <= MAX_HASHED_CHARACTERS && verify(phc, password.normalize('NFC'))

/**
 * Checks a new password.
 * @param names the username and the email address of the account
 * @throws {Problem} `invalid_request` for a password that is too short, too long, or easy to guess
 */
export function checkPassword(password: string, names: readonly string[]): void {
  const error = passwordError(password, names)
  if (error) throw problems.invalid([{ field: 'password', ...error }])
}

const tooShort = () =>
  valueError(
    'weak_password',
    { min: MIN_PASSWORD_CHARACTERS },
    detail('password_characters', { min: MIN_PASSWORD_CHARACTERS }),
  )

/**
 * Returns the error of a new password, if there is one.
 * @param names the username and the email address of the account
 */
export function passwordError(password: string, names: readonly string[]): ValueError | undefined {
  if (password.length < MIN_PASSWORD_CHARACTERS) return tooShort()
  if (password.length > MAX_PASSWORD_CHARACTERS) return valueError('too_long', { max: MAX_PASSWORD_CHARACTERS })
  return isCommonPassword(password, names)
    ? valueError(
        'weak_password',
        {},
        'is too easy to guess: avoid common words, simple sequences, and your username or email address',
      )
    : undefined
}
