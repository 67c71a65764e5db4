import { createHash, createHmac } from 'node:crypto'

/** Returns an identifier of a secret key, from which the key cannot be computed. */
export function fingerprintOf(secretKey: string): string {
  const key = createHash('sha256').update(secretKey).digest()
  return createHmac('sha256', key).update('canvass-backup').digest('hex').slice(0, 32)
}
