import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'

const signatureOf = ({ secretKey }: Services, contactId: number) =>
  digest(secretKey, `unsubscribe ${contactId}`).toString('hex').slice(0, 32)

/**
 * Returns the URL at which a contact can unsubscribe. The page requires no account, and the URL cannot be guessed.
 * @param language the language of the message and of the page
 */
export const unsubscribeLink = (services: Services, contactId: number, language: string): string =>
  `${services.baseUrl}/unsubscribe/${contactId}-${signatureOf(services, contactId)}/?lang=${language}`

/**
 * Returns the contact of an unsubscribe link.
 * @throws {Problem} `contact_not_found` for an invalid link
 */
export function unsubscriber(services: Services, token: string): number {
  const [, id, signature = ''] = /^(\d{1,15})-([0-9a-f]{32})$/.exec(token) ?? []
  if (!id || !timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(services, Number(id)))))
    throw problems.contactNotFound()
  return Number(id)
}

/** Unsubscribes an address from all mail of the account, for every contact with this address. */
export async function unsubscribe({ em, now }: PublicContext, contactId: number): Promise<void> {
  const db = em.getKysely<Tables>()
  const contact = await db
    .selectFrom('contact')
    .select(['owner_id', 'email'])
    .where('id', '=', contactId)
    .executeTakeFirst()
  if (!contact) return
  await db
    .updateTable('contact')
    .set({ unsubscribed: true, unsubscribed_at: now, updated_at: now })
    .where('owner_id', '=', contact.owner_id)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', contact.email.toLowerCase()))
    .where('unsubscribed', '=', false)
    .execute()
}
