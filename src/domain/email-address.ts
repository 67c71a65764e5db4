import type { Mailbox, MailMessage } from '../lib/mailer.ts'
import { withoutFormat } from '../lib/strings.ts'
import type { Services } from './services.ts'

/** RFC 5321, 4.5.3.1.3 limits an address in angle brackets to 256 characters. */
const MAX_ADDRESS_CHARACTERS = 254

/**
 * An address without a display name: dot-atoms on both sides of the @ (RFC 5322, 3.2.3), with letters of all scripts
 * (RFC 6531), and a dot in the domain. Quoted local parts, comments and groups are rejected, because mailers can read
 * additional recipients from them.
 */
const ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+(\.[\w!#$%&'*+/=?^`{|}~\-\u{a1}-\u{10ffff}]+)*@[\w\-\u{a1}-\u{10ffff}]+(\.[\w\-\u{a1}-\u{10ffff}]+)+$/u

/**
 * Returns an address as it is stored: without outer spaces and without format characters, which nobody sees and no
 * mailbox has.
 */
export const readEmailAddress = (text: string): string => withoutFormat(text)

/** Returns whether a text is a valid email address of an account or contact. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= MAX_ADDRESS_CHARACTERS && ADDRESS.test(text) && !/[\s\p{Cf}]/u.test(text)

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
