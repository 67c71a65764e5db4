import { defineEntity, p } from '@mikro-orm/core'
import { seal, unseal } from '../../lib/secrets.ts'
import { AccountSchema } from '../account/account.ts'
import { CollectorSchema } from '../collector/collector.ts'
import type { Services } from '../services.ts'
import { SurveySchema } from '../survey/survey.ts'
import type { BodyFormat } from '../webhook-form.ts'

/** The events to which a webhook can subscribe (docs/specification.md 11.3). */
export const eventTypes = ['survey_create', 'response_complete', 'report_create', 'contact_create'] as const
export type EventType = (typeof eventTypes)[number]

export const WebhookSchema = defineEntity({
  name: 'Webhook',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade'),
    event: p.text().$type<EventType>(),
    /** Limits the events to this survey; null: all surveys of the account. */
    survey: () => p.manyToOne(SurveySchema).ref().deleteRule('cascade').nullable().index(),
    /** Limits the events to this collector; null: all collectors. */
    collector: () => p.manyToOne(CollectorSchema).ref().deleteRule('cascade').nullable().index(),
    subscriptionUrl: p.text(),
    format: p.text().$type<BodyFormat>().default('form'),
    /** Encrypted and not hashed, because every signature requires its plain text. */
    secret: p.text().lazy(),
    /** The previous secret, and the time until which it is used. */
    previousSecret: p.text().lazy().nullable(),
    previousUntil: p.datetime().nullable(),
    /** Consecutive failed attempts. */
    failures: p.integer().default(0),
    /** When the webhook was disabled after too many failures; null while it is enabled. */
    disabledAt: p.datetime().nullable(),
    disabledReason: p.text().nullable(),
    createdAt: p.datetime(),
    /** The end of the pause that the subscriber requested (`Retry-After`). */
    pausedUntil: p.datetime().nullable(),
  },
  uniques: [{ name: 'webhook_account_url_key', properties: ['account', 'subscriptionUrl'] }],
  indexes: [{ name: 'webhook_account_event_index', properties: ['account', 'event'] }],
})

/** A subscription of a URL to events of one type. A webhook cannot be changed, only deleted and created again. */
export class Webhook extends WebhookSchema.class {}
WebhookSchema.setClass(Webhook)

/** One attempt to deliver a message. */
export interface DeliveryAttempt {
  /** The start time, ISO 8601. */
  at: string
  /** The HTTP status; absent if there was no reply. */
  status?: number
  /** The reason why there is no valid reply. */
  error?: string
  /** The beginning of the body of the reply. */
  answer?: string
  /** The duration in milliseconds. */
  ms: number
}

/**
 * The data of a response at the time of its completion. The statement that inserts the delivery stores these data, so
 * that the event can be delivered even if the response or its survey has been deleted.
 */
export interface ResponseFacts {
  id: number
  key: string
  score: number | null
  language: string
  referrer: string | null
  invite_email: string | null
  invite_name: string | null
  created_at: string
  updated_at: string
  answers: Record<string, unknown>
  survey_id: number
  survey_name: string
  slug: string
  username: string
  version: number
}

const SEAL_PURPOSE = 'signature of webhooks'
type Keyed = Pick<Services, 'secretKey'>

/** Encrypts a secret for storage. */
export const sealSecret = ({ secretKey }: Keyed, secret: string): string => seal(secretKey, SEAL_PURPOSE, secret)

/** Returns the secrets for signing, newest first. Secrets that were encrypted with another `secretKey` are left out. */
export function signingSecrets(
  { secretKey }: Keyed,
  now: Date,
  webhook: { secret: string; previousSecret: string | null; previousUntil: Date | null },
): string[] {
  const overlaps = webhook.previousSecret !== null && webhook.previousUntil !== null && webhook.previousUntil > now
  return [webhook.secret, ...(overlaps ? [webhook.previousSecret!] : [])]
    .map((sealed) => unseal(secretKey, SEAL_PURPOSE, sealed))
    .filter((secret) => secret !== undefined)
}
