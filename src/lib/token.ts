import { createHmac, randomBytes, randomInt } from 'node:crypto'

/** Letters and digits without look-alikes (no 0 O 1 l I). */
const UNAMBIGUOUS_CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** `length` characters that are easy to read aloud, each from a cryptographic source. */
export const randomCode = (length: number, alphabet: string = UNAMBIGUOUS_CHARACTERS): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

const KEY_BYTES = 20
/** Drawing many keys at once costs hardly more than drawing one; what has been given away is never given again. */
const drawn = { bytes: Buffer.alloc(0), next: 0 }

/** 160 unguessable bits: what the key of a response is made of. */
export function randomKey(): Buffer {
  if (drawn.next >= drawn.bytes.length) Object.assign(drawn, { bytes: randomBytes(KEY_BYTES * 256), next: 0 })
  drawn.next += KEY_BYTES
  return drawn.bytes.subarray(drawn.next - KEY_BYTES, drawn.next)
}

/** HMAC-SHA256 of a high-entropy secret: what is stored of API keys and tokens, fast to compare and useless when stolen. */
export const digest = (secretKey: Buffer, text: string): Buffer => createHmac('sha256', secretKey).update(text).digest()
