import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Derives a key for each purpose (RFC 5869), so that a value sealed for one purpose cannot be opened for another. */
const keyFor = (secretKey: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))

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
