import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'
import { CollectorSchema } from '../collector/collector.ts'
import { SurveySchema } from '../survey/survey.ts'
import type { DeliveryHold } from './hold.ts'

/** The state of an email. It is `sent` when no message remains to be sent (docs/specification.md 9.5). */
export type EmailStatus = 'draft' | 'scheduled' | 'sent'

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
