import passwords from '@zxcvbn-ts/language-common/src/passwords.json' with { type: 'json' }

/**
 * The most common of stolen passwords, from lists of breaches, and words that are not among them. A password with
 * digits or punctuation after such a word matches too.
 */
const COMMON_WORDS = new Set([
  ...passwords,
  ...['p@ssword', 'qwertz', 'willkommen', 'bienvenue', 'login', 'abc', 'abcd', 'surveys', 'canvass'],
])
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
export function isCommonPassword(password: string, names: readonly string[]): boolean {
  const text = password.normalize('NFKC').trim().toLowerCase()
  if (new Set(text).size < MIN_DIFFERENT_CHARACTERS) return true
  const word = text.replace(/[^\p{L}]+$/u, '')
  if (COMMON_WORDS.has(text) || COMMON_WORDS.has(word) || isKeyboardSequence(text)) return true
  const variants = names.flatMap((name) => [name, name.split('@', 1)[0]!]).map((name) => name.toLowerCase())
  return variants.some((name) => name !== '' && (text === name || word === name))
}
