import { createHmac, randomBytes, randomInt } from 'node:crypto'

/** Letters and digits without similar ones (no 0 O o 1 l I). */
export const UNAMBIGUOUS_CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Returns random characters that are easy to read aloud, from a cryptographic source. */
export const randomCode = (length: number, alphabet: string = UNAMBIGUOUS_CHARACTERS): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

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

/**
 * Returns the HMAC-SHA256 of a high-entropy secret. For an API key or a token, the database stores the HMAC instead of
 * the key or token itself.
 */
export const digest = (secretKey: Buffer, text: string): Buffer => createHmac('sha256', secretKey).update(text).digest()
