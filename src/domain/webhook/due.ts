import { type Kysely, sql } from 'kysely'
import type { Context, PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { type BodyFormat, hasField } from '../webhook-form.ts'
import type { EventType, ResponseFacts } from './webhook.ts'

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

const RETENTION_MS = 30 * 86_400_000

/**
 * Deletes deliveries that are older than thirty days, if they are finished or if their webhook no longer exists. A
 * delivery without a webhook remains if the webhook is deleted while the event is being stored.
 * @returns the number of deleted deliveries
 */
export async function purgeDeliveries({ em, now }: PublicContext): Promise<number> {
  const { numDeletedRows } = await em
    .getKysely<Tables>()
    .deleteFrom('webhook_delivery')
    .where('created_at', '<', new Date(now.getTime() - RETENTION_MS).toISOString())
    .where((eb) =>
      eb.or([
        eb('next_attempt_at', 'is', null),
        eb('webhook_id', 'not in', eb.selectFrom('webhook').select('webhook.id')),
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/**
 * Deletes those messages to the actor's webhooks, delivered or pending, in which a field or an answer is a person's
 * email address, regardless of case. Call it inside a transaction.
 * @returns the number of deleted messages
 */
export async function eraseDeliveriesAbout({ em, actor }: Context, email: string): Promise<number> {
  const { numDeletedRows } = await em
    .getKysely<Tables>()
    .deleteFrom('webhook_delivery')
    .where('webhook_id', 'in', (eb) => eb.selectFrom('webhook').select('id').where('account_id', '=', actor.id))
    .where((eb) =>
      eb.or([hasField(email, 'whole'), sql<boolean>`strpos(lower(facts::text), lower(${JSON.stringify(email)})) > 0`]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
