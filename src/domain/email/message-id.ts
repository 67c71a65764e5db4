import { digest } from '../../lib/token.ts'
import type { Services } from '../services.ts'

const signatureOf = ({ secretKey }: Services, id: number) =>
  digest(secretKey, `message ${id}`).toString('hex').slice(0, 24)

/**
 * Returns the Message-ID of one recipient's message: the same for every attempt, and signed, so that it cannot be
 * forged.
 */
export const messageIdOf = (services: Services, id: number): string =>
  `<${id}.${signatureOf(services, id)}@${new URL(services.baseUrl).hostname}>`

/**
 * Returns the id of the message that a Message-ID identifies. The angle brackets of the Message-ID can be absent.
 * @returns undefined for a Message-ID of another service
 */
export function messageOf(services: Services, messageId: string): number | undefined {
  const [, id, signature] = /^\s*<?(\d{1,15})\.([0-9a-f]{24})@[^@\s<>]+>?\s*$/.exec(messageId) ?? []
  return id && signature === signatureOf(services, Number(id)) ? Number(id) : undefined
}
