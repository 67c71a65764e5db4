import { defineEntity, p } from '@mikro-orm/core'
import { ContactSchema } from '../contact/contact.ts'
import { InviteSchema } from '../invitation/invite.ts'
import { EmailSchema } from './email.ts'

/**
 * How far one recipient's message has come: `added` to a draft, `queued` until its time, `sending` while a run has it in
 * hand, then one of the ends. `skipped`: the recipient does not want any, or is not in the address book any more.
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
    /** Times it was handed to the mail server in vain. */
    attempts: p.integer().default(0),
    /** When it is due, while it is queued. */
    nextAt: p.datetime().nullable(),
    /** The run that has it in hand, or had it last. Whoever writes down what became of it must still be that run. */
    run: p.uuid().nullable(),
    /** When a run took it in hand; null once a run has written down that the mail server did not take it. */
    handedAt: p.datetime().nullable(),
    sentAt: p.datetime().nullable(),
    /** Where it went. */
    address: p.text().nullable(),
    /** What the mail server said last, when it said no. */
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

/** One recipient of an e-mail: a message of their own with a code of their own. */
export class EmailMessage extends EmailMessageSchema.class {}
EmailMessageSchema.setClass(EmailMessage)
