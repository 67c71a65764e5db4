import { digest } from '../../lib/token.ts'
import type { Site } from '../services.ts'

const proofOf = ({ secretKey }: Site, id: number) => digest(secretKey, `message ${id}`).toString('hex').slice(0, 24)

/** The Message-ID of one recipient's message: every try has the same, and only we can have made it. */
export const messageIdOf = (site: Site, id: number): string =>
  `<${id}.${proofOf(site, id)}@${new URL(site.baseUrl).hostname}>`

/** The id of the message that has a Message-ID, with or without its brackets; undefined for one that is not ours. */
export function messageOf(site: Site, messageId: string): number | undefined {
  const [, id, proof] = /^\s*<?(\d{1,15})\.([0-9a-f]{24})@[^@\s<>]+>?\s*$/.exec(messageId) ?? []
  return id && proof === proofOf(site, Number(id)) ? Number(id) : undefined
}
