import type { Mailbox, MailMessage } from '../lib/mailer.ts'
import { isEmailAddress } from './email-address.ts'
import type { Services } from './services.ts'

/** Name in front of a bracket, address behind it; old clients forget to close it. */
const NAME_AND_ADDRESS = /^\s*(?:"([^"]*)"|([^<>"]*?))\s*<\s*([^<>\s]+)\s*>?\s*$/

/**
 * Reads `Name <address>`; the closing bracket may be missing, and a bare address has no name.
 * @returns undefined when it is neither
 */
export function parseSender(text: string): Mailbox | undefined {
  if (text.length > 500 || /\p{Cc}/u.test(text)) return undefined
  const [, quoted, bare = '', address = text.trim()] = NAME_AND_ADDRESS.exec(text) ?? []
  return isEmailAddress(address) ? { name: (quoted ?? bare).trim(), address } : undefined
}

/**
 * Returns whom a message comes from. It is the operator's own address, which mail servers let this service use, with the sender's
 * name before it; answers go to the sender.
 */
export function senderHeaders(
  { mailFrom, allowSenders }: Services,
  sender: Mailbox,
): Pick<MailMessage, 'from' | 'replyTo'> {
  if (allowSenders) return { from: sender }
  const name = sender.name ? `${sender.name} via ${mailFrom.name}` : mailFrom.name
  return { from: { name, address: mailFrom.address }, replyTo: sender }
}

/** As the API shows a sender. */
export const formatSender = ({ name, address }: Mailbox): string => (name ? `${name} <${address}>` : address)
