import type { Mailbox, MailMessage } from '../lib/mailer.ts'
import { isEmailAddress } from './email-address.ts'
import type { Services } from './services.ts'

/** `Name <address>`; old clients omit the closing bracket. */
const NAME_AND_ADDRESS = /^\s*(?:"([^"]*)"|([^<>"]*?))\s*<\s*([^<>\s]+)\s*>?\s*$/

/**
 * Parses `Name <address>`, without the closing bracket too, or a bare address.
 * @returns undefined for any other text
 */
export function parseSender(text: string): Mailbox | undefined {
  if (text.length > 500 || /\p{Cc}/u.test(text)) return undefined
  const [, quoted, bare = '', address = text.trim()] = NAME_AND_ADDRESS.exec(text) ?? []
  return isEmailAddress(address) ? { name: (quoted ?? bare).trim(), address } : undefined
}

/**
 * Returns the From and Reply-To headers of a message: From has the address of the operator, which mail servers accept, and
 * the name of the sender; replies go to the sender.
 */
export function senderHeaders(
  { mailFrom, allowSenders }: Services,
  sender: Mailbox,
): Pick<MailMessage, 'from' | 'replyTo'> {
  if (allowSenders) return { from: sender }
  const name = sender.name ? `${sender.name} via ${mailFrom.name}` : mailFrom.name
  return { from: { name, address: mailFrom.address }, replyTo: sender }
}

/** Formats a sender as in API responses. */
export const formatSender = ({ name, address }: Mailbox): string => (name ? `${name} <${address}>` : address)
