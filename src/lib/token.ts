import { createHmac, randomBytes, randomInt } from 'node:crypto'

/** Letters and digits without look-alikes (no 0 O 1 l I). */
const UNAMBIGUOUS_CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Returns random characters that are easy to read aloud, from a cryptographic source. */
export const randomCode = (length: number, alphabet: string = UNAMBIGUOUS_CHARACTERS): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

const KEY_BYTES = 20
/** Random bytes for many keys, drawn at once because that costs hardly more than one key; each byte is used once. */
const drawn = { bytes: Buffer.alloc(0), next: 0 }

/** Returns 160 random bits: the key of a response. */
export function randomKey(): Buffer {
  if (drawn.next >= drawn.bytes.length) Object.assign(drawn, { bytes: randomBytes(KEY_BYTES * 256), next: 0 })
  drawn.next += KEY_BYTES
  return drawn.bytes.subarray(drawn.next - KEY_BYTES, drawn.next)
}

/** Returns the HMAC-SHA256 of a high-entropy secret: what is stored of API keys and tokens. Fast to compare, useless to a thief. */
export const digest = (secretKey: Buffer, text: string): Buffer => createHmac('sha256', secretKey).update(text).digest()
