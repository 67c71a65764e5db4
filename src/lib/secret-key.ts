import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from './private-folder.ts'
import { createSecret } from './secret-file.ts'
import { ConfigError } from './settings.ts'

/** The secret from which the key for hashing and encryption is derived. */
export interface SecretKey {
  text: string
  /** `SECRET_KEY`, or the path of the file. */
  source: string
}

/** Returns the path of the file with the secret key. Only its owner can read it. */
export const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret-key')

/**
 * Returns the secret key of the setting `SECRET_KEY`, or else of the data folder.
 * @returns undefined when there is no key
 * @throws {ConfigError} when the file is incomplete
 */
export function findSecretKey(setting: string | undefined, dataDir: string): SecretKey | undefined {
  if (setting) return { text: setting, source: 'SECRET_KEY' }
  const file = secretKeyFile(dataDir)
  return existsSync(file) ? { text: verified(file, readFileSync(file, 'utf8')), source: file } : undefined
}

/**
 * Creates the file with the secret key, unless it exists.
 * @param isEmbedded whether the data folder contains the embedded PostgreSQL, whose user must be able to enter the
 *   folder
 */
export function createSecretKey(dataDir: string, isEmbedded: boolean): SecretKey {
  const file = secretKeyFile(dataDir)
  makePrivateFolder(dataDir, process.getuid?.() === 0 && isEmbedded ? 0o711 : 0o700)
  return {
    text: verified(
      file,
      createSecret(file, () => randomBytes(32).toString('hex')),
    ),
    source: file,
  }
}

/**
 * Checks the content of the key file. If the disk was full, the file is empty, and the key that is derived from an
 * empty secret is known to everyone.
 */
function verified(file: string, content: string): string {
  const secret = content.trim()
  if (secret.length < 32) throw new ConfigError(`${file} is incomplete. Restore it from a backup.`)
  return secret
}
