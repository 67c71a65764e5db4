import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import type { Services } from '../services.ts'

const signatureOf = (services: Services, accountId: number, id: string): Buffer =>
  digest(services.secretKey, `device ${accountId} ${id}`)

/**
 * Issues a token that identifies a device (a browser) that signed in to an account. The token is not a credential. Its
 * only effect is that failed logins from a browser that sends it are counted separately from other failed logins to the
 * account.
 */
export function issueDeviceToken(services: Services, accountId: number): string {
  const id = randomBytes(12).toString('base64url')
  return `${id}.${signatureOf(services, accountId, id).toString('base64url')}`
}

/** Returns the device id in a token that was issued for this account; undefined for an invalid token. */
export function verifyDeviceToken(
  services: Services,
  accountId: number,
  token: string | undefined,
): string | undefined {
  const [id = '', signature = ''] = token?.split('.') ?? []
  const actual = Buffer.from(signature, 'base64url')
  const expected = signatureOf(services, accountId, id)
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? id : undefined
}
