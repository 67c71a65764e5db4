import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  createSecretKey as importKey,
  type KeyObject,
  randomBytes,
  randomInt,
} from 'node:crypto'
import { constants, copyFileSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './settings.ts'
import { makePrivateFolder } from './temporary-files.ts'

/** Letters and digits without similar ones (no 0 O o 1 l I). */
export const UNAMBIGUOUS_CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Returns random characters that are easy to read aloud, from a cryptographic source. */
export const randomCode = (length: number, alphabet: string = UNAMBIGUOUS_CHARACTERS): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Returns 256 random bits in hexadecimal: a code or a token of OAuth. */
export const randomToken = (): string => randomBytes(32).toString('hex')

const KEY_BYTES = 20
/**
 * Random bytes for many keys. It takes hardly more time to generate many bytes together than the bytes of one key. Each
 * byte is used once.
 */
const pool = { bytes: Buffer.alloc(0), next: 0 }

/** Returns 160 random bits: the key of a response. */
export function randomKey(): Buffer {
  if (pool.next >= pool.bytes.length) Object.assign(pool, { bytes: randomBytes(KEY_BYTES * 256), next: 0 })
  pool.next += KEY_BYTES
  return pool.bytes.subarray(pool.next - KEY_BYTES, pool.next)
}

/** The keys that were derived from a secret key, by purpose; that for HMAC has no purpose. */
const keys = new WeakMap<Buffer, Map<string | undefined, KeyObject>>()

/** Returns a derived key. It takes much longer to derive and to import a key than to use it. */
function cachedKey(secretKey: Buffer, purpose: string | undefined, derive: () => Buffer): KeyObject {
  const known = keys.get(secretKey) ?? new Map<string | undefined, KeyObject>()
  keys.set(secretKey, known)
  const key = known.get(purpose) ?? importKey(derive())
  known.set(purpose, key)
  return key
}

/**
 * Returns the HMAC-SHA256 of a high-entropy secret. For an API key or a token, the database stores the HMAC instead of
 * the key or token itself.
 */
export const digest = (secretKey: Buffer, text: string): Buffer =>
  createHmac(
    'sha256',
    cachedKey(secretKey, undefined, () => secretKey),
  )
    .update(text)
    .digest()

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Returns a key for each purpose (RFC 5869), so that a value sealed for one purpose cannot be opened for another. All
 * purposes are constants.
 */
const keyFor = (secretKey: Buffer, purpose: string): KeyObject =>
  cachedKey(secretKey, purpose, () => Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32)))

/**
 * Encrypts a secret that must be readable later (AES-256-GCM, NIST SP 800-38D).
 * @param purpose the purpose of the secret; `unseal` requires the same purpose
 * @returns base64url text of nonce, tag and cipher text
 */
export function seal(secretKey: Buffer, purpose: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyFor(secretKey, purpose), nonce, { authTagLength: TAG_BYTES })
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/**
 * Decrypts a sealed text.
 * @returns undefined if the text was sealed with another key or for another purpose, or was altered
 */
export function unseal(secretKey: Buffer, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, keyFor(secretKey, purpose), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

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

/**
 * Returns the content of a secret file. Creates the file if it does not exist, readable by its owner only. The file is
 * complete when it appears, so that two concurrent processes read the same secret.
 */
export function createSecret(file: string, generate: () => string): string {
  const draft = `${file}.new-${randomBytes(6).toString('hex')}`
  writeFileSync(draft, generate(), { mode: 0o600, flag: 'wx' })
  try {
    publish(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(file, 'utf8')
}

function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some network file systems do not support links.
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
  }
}
