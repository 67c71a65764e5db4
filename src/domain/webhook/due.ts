import { type Kysely, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import type { BodyFormat } from '../webhook-form.ts'
import type { ResponseFacts } from './delivery.ts'
import type { EventType } from './webhook.ts'

/** Duration of a claim. It is longer than an attempt can take; when it ends, any worker can claim the message again. */
const LEASE_MS = 30_000

/** A webhook with messages that are due. */
export interface PendingWebhook {
  id: number
  accountId: number
  /** Consecutive failed attempts. */
  failures: number
}

/** A claimed message and its destination. */
export interface ClaimedDelivery {
  id: number
  webhookId: number
  accountId: number
  messageId: string
  event: EventType
  facts: ResponseFacts | null
  body: string | null
  tries: number
  failures: number
  subscriptionUrl: string
  format: BodyFormat
  secret: string
  previousSecret: string | null
  previousUntil: Date | null
  /** The span of the request that caused the event. */
  traceparent: string | null
}

const db = ({ em }: Pick<PublicContext, 'em'>): Kysely<Tables> => em.getKysely<Tables>()

/**
 * Returns the webhooks that have due messages and are not paused. Needs one index lookup for each webhook with pending
 * messages.
 */
export async function pendingWebhooks({ em, now }: Pick<PublicContext, 'em' | 'now'>): Promise<PendingWebhook[]> {
  const { rows } = await sql<PendingWebhook>`
    with recursive pending as (
      (select webhook_id as id from webhook_delivery where next_attempt_at is not null order by webhook_id limit 1)
      union all
      select (select webhook_id from webhook_delivery
        where next_attempt_at is not null and webhook_id > pending.id order by webhook_id limit 1)
      from pending where pending.id is not null
    )
    select webhook.id, webhook.account_id as "accountId", webhook.failures from pending join webhook using (id)
    where (webhook.paused_until is null or webhook.paused_until <= ${now}::timestamptz) and exists (
      select from webhook_delivery where webhook_id = webhook.id and next_attempt_at <= ${now}::timestamptz)`.execute(
    db({ em }),
  )
  return rows
}

/**
 * Claims due messages, oldest first. No other worker can claim them before the claim ends.
 * @param limits the maximum number of messages per webhook
 */
export async function claimDue(
  { em, now }: Pick<PublicContext, 'em' | 'now'>,
  limits: ReadonlyMap<number, number>,
): Promise<ClaimedDelivery[]> {
  const lease = new Date(now.getTime() + LEASE_MS)
  const { rows } = await sql<Omit<ClaimedDelivery, 'previousUntil'> & { previousUntil: string | null }>`
    with capacity as (
      select * from unnest(${[...limits.keys()]}::bigint[], ${[...limits.values()]}::integer[]) as capacity (webhook_id, free)
    ), claimed as materialized (
      select due.id from capacity cross join lateral (
        select id from webhook_delivery
        where webhook_id = capacity.webhook_id and next_attempt_at <= ${now}::timestamptz
        order by next_attempt_at limit capacity.free for update skip locked
      ) as due
    )
    update webhook_delivery as delivery set next_attempt_at = ${lease}::timestamptz
    from claimed, webhook
    where delivery.id = claimed.id and webhook.id = delivery.webhook_id
    returning delivery.id, webhook.id as "webhookId", webhook.account_id as "accountId",
      delivery.message_id as "messageId", delivery.event, delivery.facts, delivery.body, delivery.tries, delivery.traceparent,
      webhook.failures, webhook.subscription_url as "subscriptionUrl", webhook.format, webhook.secret,
      webhook.previous_secret as "previousSecret", webhook.previous_until as "previousUntil"`.execute(db({ em }))
  return rows.map((row) => ({ ...row, previousUntil: row.previousUntil === null ? null : new Date(row.previousUntil) }))
}
