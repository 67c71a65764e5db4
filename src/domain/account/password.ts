import { hash, verify } from '@node-rs/argon2'
import { problems } from '../problem.ts'

/** Argon2id with the library's defaults (19 MiB, 2 passes: OWASP Password Storage Cheat Sheet); a PHC string. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFC'))

/** Whether a password is the one behind a PHC string. */
export const passwordMatches = (phc: string, password: string): Promise<boolean> =>
  verify(phc, password.normalize('NFC'))

/** @throws {Problem} `invalid_request` for a password that is too short or too long */
export function checkPassword(password: string): void {
  if (!isAcceptable(password)) throw problems.invalidField('password', PASSWORD_RULE)
}

export const isAcceptable = (password: string): boolean => password.length >= 8 && password.length <= 256
export const PASSWORD_RULE = 'must have 8 to 256 characters'
