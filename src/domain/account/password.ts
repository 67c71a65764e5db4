import { hash, verify } from '@node-rs/argon2'
import { lazy, readPackageJson } from '../../lib/lazy.ts'
import { detail } from '../error-details.ts'
import { type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'

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

/**
 * The most common of stolen passwords, from lists of breaches, and words that are not among them. A password with
 * digits or punctuation after such a word matches too.
 */
const commonWords = lazy(() => {
  const words = [
    ...readPackageJson<string[]>('@zxcvbn-ts/language-common/src/passwords.json'),
    ...['p@ssword', 'qwertz', 'willkommen', 'bienvenue', 'login', 'abc', 'abcd', 'surveys', 'canvass'],
  ]
  // One text takes a tenth of the memory of a set.
  return `\n${words.join('\n')}\n`
})

const isCommonWord = (word: string): boolean => !word.includes('\n') && commonWords().includes(`\n${word}\n`)

/**
 * Digits, letters and neighbouring keys in order. A password matches if it is a part of one of these sequences,
 * forwards or backwards.
 */
const KEYBOARD_SEQUENCES = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertzuiop',
  'qwertyuiop',
  'azertyuiop',
  'asdfghjkl',
]
const MIN_DIFFERENT_CHARACTERS = 4

const isKeyboardSequence = (text: string): boolean => {
  const reversed = [...text].reverse().join('')
  return KEYBOARD_SEQUENCES.some((sequence) => sequence.includes(text) || sequence.includes(reversed))
}

/**
 * Returns whether a password is easy to guess: a stolen password or common word, a keyboard sequence, fewer than four different
 * characters, or a name of the account (NIST SP 800-63B, 5.1.1.2).
 */
function isCommonPassword(password: string, names: readonly string[]): boolean {
  const text = password.normalize('NFKC').trim().toLowerCase()
  if (new Set(text).size < MIN_DIFFERENT_CHARACTERS) return true
  const word = text.replace(/[^\p{L}]+$/u, '')
  if (isCommonWord(text) || isCommonWord(word) || isKeyboardSequence(text)) return true
  const variants = names.flatMap((name) => [name, name.split('@', 1)[0]!]).map((name) => name.toLowerCase())
  return variants.some((name) => name !== '' && (text === name || word === name))
}
