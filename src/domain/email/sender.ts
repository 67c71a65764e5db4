import type { Mailbox } from '../../lib/mailer.ts'
import { isEmailAddress } from '../email-address.ts'

/** Name in front of a bracket, address behind it; old clients forget to close it. */
const SENDER = /^\s*(?:"([^"]*)"|([^<>"]*?))\s*<\s*([^<>\s]+)\s*>?\s*$/

/**
 * Reads `Name <address>`; the closing bracket may be missing, and a bare address has no name.
 * @returns undefined when it is neither
 */
export function readSender(text: string): Mailbox | undefined {
  if (text.length > 500 || /\p{Cc}/u.test(text)) return undefined
  const [, quoted, bare = '', address = text.trim()] = SENDER.exec(text) ?? []
  return isEmailAddress(address) ? { name: (quoted ?? bare).trim(), address } : undefined
}

/** As the API shows a sender. */
export const printSender = ({ name, address }: Mailbox): string => (name ? `${name} <${address}>` : address)
