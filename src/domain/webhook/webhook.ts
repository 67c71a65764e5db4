import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'
import { CollectorSchema } from '../collector/collector.ts'
import { SurveySchema } from '../survey/survey.ts'

/** The events to which a webhook can subscribe (docs/specification.md 11.3). */
export const eventTypes = ['survey_create', 'response_complete', 'report_create', 'contact_create'] as const
export type EventType = (typeof eventTypes)[number]

export const WebhookSchema = defineEntity({
  name: 'Webhook',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade'),
    event: p.text().$type<EventType>(),
    /** Only what happens in this survey; null: in any of the account's. */
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').nullable().index(),
    /** Only what comes in by this collector; null: by any. */
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade').nullable().index(),
    subscriptionUrl: p.text(),
    /** Sealed: it has to be read again for every signature. */
    secret: p.text().lazy(),
    /** The secret before the last rotation, and until when messages are signed with it too. */
    previousSecret: p.text().lazy().nullable(),
    previousUntil: p.datetime().nullable(),
    /** Attempts that failed since the last one that did not. */
    failures: p.integer().default(0),
    /** Since when it is off because nobody answered; null while it is on. */
    disabledAt: p.datetime().nullable(),
    disabledReason: p.text().nullable(),
    createdAt: p.datetime(),
    /** Its subscriber asked to be left alone until then (`Retry-After`). */
    restingUntil: p.datetime().nullable(),
  },
  uniques: [{ name: 'webhook_account_url_key', properties: ['account', 'subscriptionUrl'] }],
  indexes: [{ name: 'webhook_account_event_index', properties: ['account', 'event'] }],
})

/** A subscription: where events of one type are sent. It cannot be changed, only removed and made anew. */
export class Webhook extends WebhookSchema.class {}
WebhookSchema.setClass(Webhook)
