import { hash, verify } from '@node-rs/argon2'

/** Argon2id with the library's defaults (19 MiB, 2 passes: OWASP Password Storage Cheat Sheet); a PHC string. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFC'))

/** Whether a password is the one behind a PHC string. */
export const passwordMatches = (phc: string, password: string): Promise<boolean> =>
  verify(phc, password.normalize('NFC'))
