import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import type { Services } from '../services.ts'

/** Number of hexadecimal digits of a signature in a Message-ID and in a return path, which may have 64 characters. */
const ID_SIGNATURE_DIGITS = 24
const PATH_SIGNATURE_DIGITS = 20

const signatureOf = ({ secretKey }: Services, text: string, digits: number): string =>
  digest(secretKey, text).toString('hex').slice(0, digits)

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const idSignature = (services: Services, id: number) => signatureOf(services, `message ${id}`, ID_SIGNATURE_DIGITS)

/**
 * Returns the Message-ID of one recipient's message: the same for every attempt, and signed, so that it cannot be
 * forged.
 */
export const messageIdOf = (services: Services, id: number): string =>
  `<${id}.${idSignature(services, id)}@${new URL(services.baseUrl).hostname}>`

/**
 * Returns the id of the message that a Message-ID identifies. The angle brackets of the Message-ID can be absent.
 * @returns undefined for a Message-ID of another service
 */
export function messageOf(services: Services, messageId: string): number | undefined {
  const [, id, signature] = /^\s*<?(\d{1,15})\.([0-9a-f]{24})@[^@\s<>]+>?\s*$/.exec(messageId) ?? []
  return id && signature && isEqual(signature, idSignature(services, Number(id))) ? Number(id) : undefined
}

/**
 * Returns the envelope sender of one recipient's message (VERP): it names the message, so that any mail to it is about
 * this message. The signature contains the address of the recipient: what comes back from an address that has been
 * corrected since does not concern the new address.
 * @returns undefined without `BOUNCE_ADDRESS`
 */
export function returnPathOf(services: Services, id: number, recipient: string): string | undefined {
  if (!services.bounceAddress) return undefined
  const [local, domain] = services.bounceAddress.split('@')
  return `${local}+${id}-${pathSignature(services, id, recipient)}@${domain}`
}

const pathSignature = (services: Services, id: number, recipient: string) =>
  signatureOf(services, `return path ${id} ${recipient.toLowerCase()}`, PATH_SIGNATURE_DIGITS)

/** What a text says about a message: a return path is valid for some recipients only. */
export interface MessageClaim {
  id: number
  isFor(recipient: string): boolean
}

/** The maximum number of claims of one text that are checked. */
const MAX_CLAIMS = 20

/** Finds return paths and Message-IDs of this service in a text, return paths first. */
export function claimsIn(services: Services, text: string): MessageClaim[] {
  const paths = text.matchAll(/\+(\d{1,15})-([0-9a-f]{20})@/gi)
  const ids = text.matchAll(/<(\d{1,15}\.[0-9a-f]{24}@[^@\s<>]{1,255})>/g)
  const claims = new Map<string, MessageClaim>()
  for (const [key, digits, signature] of paths) {
    if (claims.size >= MAX_CLAIMS) break
    const id = Number(digits)
    const isFor = (recipient: string) => isEqual(signature!.toLowerCase(), pathSignature(services, id, recipient))
    claims.set(key.toLowerCase(), { id, isFor })
  }
  for (const [key, messageId] of ids) {
    if (claims.size >= 2 * MAX_CLAIMS) break
    const id = messageOf(services, messageId!)
    if (id !== undefined) claims.set(key, { id, isFor: () => true })
  }
  return [...claims.values()]
}
