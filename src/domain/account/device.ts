import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/token.ts'
import type { Site } from '../services.ts'

const markOf = (site: Site, accountId: number, id: string): Buffer =>
  digest(site.secretKey, `device ${accountId} ${id}`)

/** What a browser keeps to be known again by one account: it is no credential, it only has its own count of tries. */
export function issueDevice(site: Site, accountId: number): string {
  const id = randomBytes(12).toString('base64url')
  return `${id}.${markOf(site, accountId, id).toString('base64url')}`
}

/** The name of a device that has signed in to this account before; nothing for anything else. */
export function knownDevice(site: Site, accountId: number, kept: string | undefined): string | undefined {
  const [id = '', mark = ''] = kept?.split('.') ?? []
  const given = Buffer.from(mark, 'base64url')
  const right = markOf(site, accountId, id)
  return given.length === right.length && timingSafeEqual(given, right) ? id : undefined
}
