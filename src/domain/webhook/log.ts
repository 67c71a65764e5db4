import type { Slice } from '../../lib/paging.ts'
import { currentTraceparent } from '../../lib/tracing.ts'
import type { Context } from '../context.ts'
import { insertDeliveries } from '../event.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { findWebhook } from './commands.ts'
import { sampleBody } from './sample.ts'
import type { DeliveryAttempt, EventType } from './webhook.ts'

/** A message to a webhook, delivered or pending. */
export interface DeliverySummary {
  id: number
  webhookId: number
  messageId: string
  event: EventType
  /** The request body; null for the event `response_complete` until the first attempt has built it. */
  body: string | null
  attempts: readonly DeliveryAttempt[]
  nextAttemptAt: Date | null
  deliveredAt: Date | null
  createdAt: Date
}

const deliveries = ({ em }: Context) =>
  em
    .getKysely<Tables>()
    .selectFrom('webhook_delivery')
    .select([
      'id',
      'webhook_id',
      'message_id',
      'event',
      'body',
      'attempts',
      'next_attempt_at',
      'delivered_at',
      'created_at',
    ])

type Row = Awaited<ReturnType<ReturnType<typeof deliveries>['execute']>>[number]
const dateOf = (text: string | null) => (text === null ? null : new Date(text))
const summaryOf = (row: Row): DeliverySummary => ({
  id: row.id,
  webhookId: row.webhook_id,
  messageId: webhookId(row.message_id),
  event: row.event,
  body: row.body,
  attempts: row.attempts,
  nextAttemptAt: dateOf(row.next_attempt_at),
  deliveredAt: dateOf(row.delivered_at),
  createdAt: new Date(row.created_at),
})

/** Returns the `webhook-id` of a message: the same for every attempt. */
export const webhookId = (messageId: string) => `msg_${messageId.replaceAll('-', '')}`

/**
 * Returns the messages of a webhook, delivered and pending, newest first.
 * @throws {Problem} `webhook_not_found`
 */
export async function listDeliveries(
  context: Context,
  webhook: number,
  { offset, limit }: Slice,
): Promise<{ total: number; deliveries: DeliverySummary[] }> {
  const { id } = await findWebhook(context, webhook)
  const { total } = await context.em
    .getKysely<Tables>()
    .selectFrom('webhook_delivery')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('webhook_id', '=', id)
    .executeTakeFirstOrThrow()
  const rows = await deliveries(context)
    .where('webhook_id', '=', id)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  return { total, deliveries: rows.map(summaryOf) }
}

/**
 * Returns a message of a webhook.
 * @throws {Problem} `webhook_not_found`, `delivery_not_found`
 */
export async function findDelivery(context: Context, webhook: number, id: number): Promise<DeliverySummary> {
  await findWebhook(context, webhook)
  const row = await deliveries(context).where('webhook_id', '=', webhook).where('id', '=', id).executeTakeFirst()
  if (!row) throw problems.deliveryNotFound()
  return summaryOf(row)
}

/**
 * Delivers a message again under the same `webhook-id`. The first attempt is made immediately; retries follow as for a
 * new message. The first success enables a disabled webhook.
 * @throws {Problem} `webhook_not_found`, `delivery_not_found`
 */
export async function redeliver(context: Context, webhook: number, id: number): Promise<DeliverySummary> {
  const { em, now } = context
  await findDelivery(context, webhook, id)
  await em
    .getKysely<Tables>()
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: now, delivered_at: null, tries: 0, traceparent: currentTraceparent() ?? null })
    .where('id', '=', id)
    .execute()
  return findDelivery(context, webhook, id)
}

/**
 * Delivers a sample of the webhook's event like a real message.
 * @throws {Problem} `webhook_not_found`
 */
export async function ping(context: Context, webhook: number): Promise<DeliverySummary> {
  const { id, event, format } = await findWebhook(context, webhook)
  const [delivery] = await insertDeliveries(context, event, [{ webhook: id, body: sampleBody(context, event, format) }])
  return findDelivery(context, webhook, delivery!)
}
