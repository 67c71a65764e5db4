import { hash, verify } from '@node-rs/argon2'
import { problems } from '../problem.ts'
import { isTrivial } from './trivial-password.ts'

/** Argon2id with the library's defaults (19 MiB, 2 passes: OWASP Password Storage Cheat Sheet); a PHC string. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFC'))

/** Whether a password is the one behind a PHC string. */
export const passwordMatches = (phc: string, password: string): Promise<boolean> =>
  verify(phc, password.normalize('NFC'))

/** @throws {Problem} `invalid_request` for a password that is too short, too long, or easy to guess */
export function checkPassword(password: string, names: readonly string[]): void {
  const fieldError = faultInPassword(password, names)
  if (fieldError) throw problems.invalidField('password', fieldError)
}

/**
 * Returns what is wrong with a password that somebody wants to have, if anything.
 * @param names of the account: its user name and e-mail address
 */
export function faultInPassword(password: string, names: readonly string[]): string | undefined {
  if (password.length < 8 || password.length > 256) return 'must have 8 to 256 characters'
  return isTrivial(password, names)
    ? 'is too easy to guess: avoid common words, simple rows of characters, and your user name or e-mail address'
    : undefined
}
