import type { Mailbox, MailMessage } from '../lib/mailer.ts'
import { isEmailAddress, readEmailAddress } from './email-address.ts'
import type { Services } from './services.ts'

export const MAX_SENDER_CHARACTERS = 500

/** `Name <address>`. Old clients omit the closing bracket. */
const NAME_AND_ADDRESS = /^(?:"([^"]*)"|([^<>"]*?))\s*<\s*([^<>\s]+)\s*>?$/

/**
 * Parses `Name <address>`, with or without the closing bracket, or an address.
 * @returns undefined for any other text
 */
export function parseSender(text: string): Mailbox | undefined {
  const trimmed = text.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '')
  if (text.length > MAX_SENDER_CHARACTERS || /\p{Cc}/u.test(trimmed)) return undefined
  const [, quotedName, plainName = '', written = trimmed] = NAME_AND_ADDRESS.exec(trimmed) ?? []
  const address = readEmailAddress(written)
  return isEmailAddress(address) ? { name: (quotedName ?? plainName).trim(), address } : undefined
}

/**
 * Returns the From and Reply-To headers of a message. From has the sender's name and the operator's address, which mail
 * servers accept; Reply-To has the sender's address. With `MAIL_ALLOW_SENDERS`, From has the sender's address instead.
 * @param replyTo the address for replies; null: the address of the sender
 */
export function senderHeaders(
  { mailFrom, allowSenders }: Services,
  sender: Mailbox,
  replyTo: string | null = null,
): Pick<MailMessage, 'from' | 'replyTo'> {
  const reply = replyTo === null ? undefined : { name: '', address: replyTo }
  if (allowSenders) return { from: sender, ...(reply && { replyTo: reply }) }
  const name = sender.name ? `${sender.name} via ${mailFrom.name}` : mailFrom.name
  return { from: { name, address: mailFrom.address }, replyTo: reply ?? sender }
}

/** Formats a sender as in API responses. */
export const formatSender = ({ name, address }: Mailbox): string => (name ? `${name} <${address}>` : address)
