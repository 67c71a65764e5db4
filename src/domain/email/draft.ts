import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { formatSender, parseSender } from '../email-sender.ts'

import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'

import { hasToken } from './message.ts'
import { INVITE_LINK } from './tokens.ts'

/** The content of an email before validation. */
export interface EmailDraft {
  subject: string
  /** `Name <address>`. */
  sender: string
  message: string
  /** The address for replies. If it is absent, null or empty, replies go to the sender. */
  replyTo?: string | null | undefined
}

/** A valid draft. */
export type CheckedEmail = Required<Omit<EmailDraft, 'replyTo'>> & { replyTo: string | null }

export const MAX_SUBJECT_CHARACTERS = 500
const MAX_MESSAGE_CHARACTERS = 100_000

/** Returns the error of a subject, if there is one. A line break would begin another header (RFC 5322, section 2.2). */
function subjectError(subject: string): ValueError | undefined {
  if (!subject.trim()) return valueError('blank')
  if (/\p{Cc}/u.test(subject)) return valueError('multiple_lines')
  return subject.length > MAX_SUBJECT_CHARACTERS ? valueError('too_long', { max: MAX_SUBJECT_CHARACTERS }) : undefined
}

function messageError(message: string): ValueError | undefined {
  if (message.length > MAX_MESSAGE_CHARACTERS) return valueError('too_long', { max: MAX_MESSAGE_CHARACTERS })
  return hasToken(message, INVITE_LINK) ? undefined : valueError('missing_placeholder', { placeholder: INVITE_LINK })
}

/**
 * Validates an email and normalises its sender.
 * @throws {Problem} `invalid_request` naming each invalid field
 */
export function checkEmail({ subject, sender, message, replyTo }: EmailDraft): CheckedEmail {
  const reply = (replyTo && readEmailAddress(replyTo)) || null
  const from = parseSender(sender)
  const checks = {
    subject: subjectError(subject),
    sender: from ? undefined : valueError('invalid_sender'),
    message: messageError(message),
    reply_to: reply === null || isEmailAddress(reply) ? undefined : valueError('invalid_email'),
  }
  const errors: FieldError[] = []
  for (const [field, error] of Object.entries(checks)) if (error) errors.push({ field, ...error })
  if (errors.length || !from) throw problems.invalid(errors)
  return { subject: subject.trim(), sender: formatSender(from), message, replyTo: reply }
}
