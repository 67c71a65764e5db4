import { digest } from '../../lib/token.ts'
import type { Services } from '../services.ts'

const proofOf = ({ secretKey }: Services, id: number) => digest(secretKey, `message ${id}`).toString('hex').slice(0, 24)

/** The Message-ID of one recipient's message: every try has the same, and only we can have made it. */
export const messageIdOf = (services: Services, id: number): string =>
  `<${id}.${proofOf(services, id)}@${new URL(services.baseUrl).hostname}>`

/** The id of the message that has a Message-ID, with or without its brackets; undefined for one that is not ours. */
export function messageOf(services: Services, messageId: string): number | undefined {
  const [, id, proof] = /^\s*<?(\d{1,15})\.([0-9a-f]{24})@[^@\s<>]+>?\s*$/.exec(messageId) ?? []
  return id && proof === proofOf(services, Number(id)) ? Number(id) : undefined
}
