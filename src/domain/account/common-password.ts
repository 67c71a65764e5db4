/**
 * The most common words in lists of stolen passwords. A password with digits or punctuation after such a word matches
 * too.
 */
const COMMON_WORDS = new Set(
  `password passwords passwort passw0rd p@ssw0rd p@ssword motdepasse contrasena wachtwoord senha parola secret secrets geheim qwerty qwertz
azerty letmein welcome willkommen bienvenue iloveyou iloveu administrator admin root login signin master changeme default
dragon monkey football baseball basketball superman batman spiderman pokemon starwars sunshine princess shadow trustno
whatever computer internet michael michelle jennifer jessica jordan charlie daniel ashley thomas andrew hunter freedom
hello hallo test testing tester abc abcd example sample guest user username survey surveys canvass summer winter spring
autumn monday friday january december liverpool chelsea arsenal samsung google facebook mustang ferrari pepper cheese chocolate
flower butterfly unknown zaq1xsw2 1q2w3e4r 1qaz2wsx q1w2e3r4 qazwsx asdfasdf`.split(/\s+/),
)
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
 * Returns whether a password is easy to guess: a common word, a keyboard sequence, fewer than four different
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
