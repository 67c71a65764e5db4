import { defineEntity, p } from '@mikro-orm/core'
import { ContactSchema } from '../contact/contact.ts'
import { InviteSchema } from '../invitation/codes.ts'
import { EmailSchema } from './email.ts'

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
export class EmailMessage extends EmailMessageSchema.class {}
EmailMessageSchema.setClass(EmailMessage)
