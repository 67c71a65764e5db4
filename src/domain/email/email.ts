import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'
import { CollectorSchema } from '../collector/collector.ts'
import { ContactSchema } from '../contact/contact.ts'
import { formatSender, isEmailAddress, parseSender, readEmailAddress } from '../email-address.ts'
import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { InviteSchema } from '../invitation/codes.ts'
import { problems } from '../problem.ts'
import { SurveySchema } from '../survey/survey.ts'
import type { DeliveryHold } from './claim.ts'
import { hasToken } from './message.ts'
import { INVITE_LINK } from './tokens.ts'

/** The state of an email. It is `sent` when no message remains to be sent (docs/specification.md 9.5). */
export type EmailStatus = 'draft' | 'scheduled' | 'sent'

/** What a recipient reads. */
export interface EmailTexts {
  subject: string
  message: string
}

/** The texts of an email by language code. */
export type EmailTranslations = Readonly<Record<string, EmailTexts>>

export const EmailSchema = defineEntity({
  name: 'Email',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').index(),
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade').index(),
    /** The id of the email that this one is a reminder of. */
    reminderOf: p.bigint('number').nullable(),
    status: p.text().$type<EmailStatus>(),
    /** `Name <address>`. */
    sender: p.text(),
    /** The address for replies; null: replies go to the sender. */
    replyTo: p.text().nullable(),
    subject: p.text(),
    message: p.text(),
    /** The texts in further languages, by language code. */
    translations: p.json<EmailTranslations>().nullable(),
    /** The footer, set when the email is scheduled; null if the message contains an unsubscribe link. */
    footer: p.text().nullable(),
    /** When sending begins. */
    scheduledAt: p.datetime().nullable(),
    /** Days until the next automatic reminder; null: none. */
    remindAfterDays: p.integer().nullable(),
    /** The maximum number of automatic reminders, and the number that has been sent. */
    remindTimes: p.integer().default(0),
    remindersSent: p.integer().default(0),
    nextReminderAt: p.datetime().nullable(),
    /** Why sending has stopped; null: it has not. */
    hold: p.json<DeliveryHold>().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** An invitation to a survey, or a reminder of one, to many recipients. */
export class Email extends EmailSchema.class {}
EmailSchema.setClass(Email)

/**
 * The state of one recipient's message. `added`: the email is a draft. `queued`: the message waits until it is due.
 * `sending`: a run has claimed it. The other states are the results of the delivery. `skipped`: the recipient has
 * unsubscribed or is no longer a contact.
 */
export type MessageState = 'added' | 'queued' | 'sending' | 'sent' | 'failed' | 'bounced' | 'skipped'

export const EmailMessageSchema = defineEntity({
  name: 'EmailMessage',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    email: () => p.manyToOne(EmailSchema).ref().deleteRule('cascade'),
    contact: () => p.manyToOne(ContactSchema).ref().deleteRule('set null').nullable().index(),
    invite: () => p.manyToOne(InviteSchema).ref().deleteRule('set null').nullable().index(),
    state: p.text().$type<MessageState>(),
    /** Number of attempts to send the message so far. */
    attempts: p.integer().default(0),
    /** When the next attempt is due; set only while the message is queued. */
    nextAt: p.datetime().nullable(),
    /** The last run that claimed the message. Only this run may record a result. */
    run: p.uuid().nullable(),
    /** When a run claimed the message. Null after a run has recorded the result. */
    handedAt: p.datetime().nullable(),
    sentAt: p.datetime().nullable(),
    /** The address to which the message was sent. */
    address: p.text().nullable(),
    /** The error of the last attempt, or the reason of the bounce. */
    error: p.text().nullable(),
  },
  uniques: [{ name: 'email_message_contact_key', properties: ['email', 'contact'] }],
  indexes: [
    { name: 'email_message_state_idx', properties: ['email', 'state'] },
    {
      name: 'email_message_due_idx',
      expression: `create index email_message_due_idx on email_message (email_id, next_at, id) where state = 'queued'`,
    },
    {
      name: 'email_message_address_idx',
      expression:
        'create index email_message_address_idx on email_message (lower(address), id) where address is not null',
    },
  ],
})

/** One recipient of an email, with a message and an invite code. */
class EmailMessage extends EmailMessageSchema.class {}
EmailMessageSchema.setClass(EmailMessage)

/** The content of an email before validation. */
export interface EmailDraft {
  subject: string
  /** `Name <address>`. */
  sender: string
  message: string
  /** The address for replies. If it is absent, null or empty, replies go to the sender. */
  replyTo?: string | null | undefined
  /** The texts for recipients in other languages. Absent: every recipient gets the subject and the message. */
  translations?: EmailTranslations | undefined
}

/** A valid draft. */
type CheckedEmail = Required<Omit<EmailDraft, 'replyTo' | 'translations'>> & {
  replyTo: string | null
  translations: EmailTranslations | null
}

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
export function checkEmail({ subject, sender, message, replyTo, translations = {} }: EmailDraft): CheckedEmail {
  const reply = (replyTo && readEmailAddress(replyTo)) || null
  const from = parseSender(sender)
  const checks = {
    subject: subjectError(subject),
    sender: from ? undefined : valueError('invalid_sender'),
    message: messageError(message),
    reply_to: reply === null || isEmailAddress(reply) ? undefined : valueError('invalid_email'),
    ...Object.fromEntries(
      Object.entries(translations).flatMap(([code, texts]) => [
        [`translations.${code}.subject`, subjectError(texts.subject)],
        [`translations.${code}.message`, messageError(texts.message)],
      ]),
    ),
  }
  const errors: FieldError[] = []
  for (const [field, error] of Object.entries(checks)) if (error) errors.push({ field, ...error })
  if (errors.length || !from) throw problems.invalid(errors)
  const translated = Object.entries(translations).map(([code, texts]) => [
    code,
    { subject: texts.subject.trim(), message: texts.message },
  ])
  return {
    subject: subject.trim(),
    sender: formatSender(from),
    message,
    replyTo: reply,
    translations: translated.length > 0 ? Object.fromEntries(translated) : null,
  }
}
