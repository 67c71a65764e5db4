import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/token.ts'
import type { Services } from '../services.ts'

const signatureOf = (services: Services, accountId: number, id: string): Buffer =>
  digest(services.secretKey, `device ${accountId} ${id}`)

/** What a browser keeps to be known again by one account: it is no credential, it only has its own count of tries. */
export function issueDeviceToken(services: Services, accountId: number): string {
  const id = randomBytes(12).toString('base64url')
  return `${id}.${signatureOf(services, accountId, id).toString('base64url')}`
}

/** The name of a device that has signed in to this account before; nothing for anything else. */
export function verifyDeviceToken(services: Services, accountId: number, kept: string | undefined): string | undefined {
  const [id = '', mark = ''] = kept?.split('.') ?? []
  const given = Buffer.from(mark, 'base64url')
  const right = signatureOf(services, accountId, id)
  return given.length === right.length && timingSafeEqual(given, right) ? id : undefined
}
