import { printSender, readSender } from '../email-sender.ts'
import { type FieldError, problems } from '../problem.ts'
import { hasToken } from './message.ts'
import { INVITE_LINK } from './tokens.ts'

/** An e-mail as a caller writes it. */
export interface EmailDraft {
  subject: string
  /** `Name <address>`. */
  sender: string
  message: string
}

const MAX_SUBJECT_CHARACTERS = 500
/** Characters; ten thousand of them are sent. */
const MAX_MESSAGE_CHARACTERS = 100_000

/** What is wrong with a subject, if anything. A line break in it would begin another header (RFC 5322, section 2.2). */
const faultInSubject = (subject: string): string | undefined => {
  if (!subject.trim()) return 'must not be empty'
  if (/\p{Cc}/u.test(subject)) return 'must be one line'
  return subject.length > MAX_SUBJECT_CHARACTERS ? `must have at most ${MAX_SUBJECT_CHARACTERS} characters` : undefined
}

const faultInMessage = (message: string): string | undefined => {
  if (message.length > MAX_MESSAGE_CHARACTERS) return `must have at most ${MAX_MESSAGE_CHARACTERS} characters`
  if (hasToken(message, INVITE_LINK)) return undefined
  return `must contain ${INVITE_LINK}, which becomes the recipient's own link`
}

/**
 * Checks an e-mail, and writes its sender the usual way.
 * @throws {Problem} `invalid_request` naming each member that is wrong
 */
export function checkEmail({ subject, sender, message }: EmailDraft): EmailDraft {
  const from = readSender(sender)
  const wrong = {
    subject: faultInSubject(subject),
    sender: from ? undefined : 'must be a name and an e-mail address, as in Ann Example <ann@example.org>',
    message: faultInMessage(message),
  }
  const errors: FieldError[] = []
  for (const [field, text] of Object.entries(wrong)) if (text) errors.push({ field, message: text })
  if (errors.length || !from) throw problems.invalid(errors)
  return { subject: subject.trim(), sender: printSender(from), message }
}
