import { timingSafeEqual } from 'node:crypto'
import { digest } from '../../lib/secrets.ts'
import { addressDigest, rememberAddresses, unsubscribeAddresses } from '../contact/unsubscribed-address.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'

/** Who unsubscribes with a link. */
export interface Unsubscriber {
  contactId: number
  /** The address to which the email was sent, for the case that no contact has it any more; absent in old links. */
  address?: { accountId: number; digest: Buffer }
}

const signatureOf = ({ secretKey }: Services, recipient: string) =>
  digest(secretKey, `unsubscribe ${recipient}`).toString('hex').slice(0, 32)

/**
 * Returns the URL at which a contact can unsubscribe. The page requires no account, and the URL cannot be guessed.
 * @param language the language of the message and of the page
 */
export function unsubscribeLink(
  services: Services,
  accountId: number,
  { id, email }: { id: number; email: string },
  language: string,
): string {
  const recipient = `${id}-${accountId}-${addressDigest(services, accountId, email).toString('hex')}`
  return `${services.baseUrl}/unsubscribe/${recipient}-${signatureOf(services, recipient)}/?lang=${language}`
}

/**
 * Returns who unsubscribes with an unsubscribe link.
 * @throws {Problem} `contact_not_found` for an invalid link
 */
export function unsubscriber(services: Services, token: string): Unsubscriber {
  const [, recipient = '', id, accountId, hex, signature = ''] =
    /^((\d{1,15})(?:-(\d{1,15})-([0-9a-f]{32}))?)-([0-9a-f]{32})$/.exec(token) ?? []
  if (!id || !timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(services, recipient))))
    throw problems.contactNotFound()
  return {
    contactId: Number(id),
    ...(hex && { address: { accountId: Number(accountId), digest: Buffer.from(hex, 'hex') } }),
  }
}

/** Unsubscribes an address from all mail of the account, for every contact with this address, now and later. */
export async function unsubscribe(context: PublicContext, { contactId, address }: Unsubscriber): Promise<void> {
  if (address) await rememberAddresses(context, address.accountId, [address.digest])
  const contact = await context.em
    .getKysely<Tables>()
    .selectFrom('contact')
    .select(['owner_id', 'email'])
    .where('id', '=', contactId)
    .executeTakeFirst()
  if (contact) await unsubscribeAddresses(context, contact.owner_id, [contact.email], context.now)
}
