import * as domain from '../../domain/notification/subscription.ts'
import type { Services } from '../../domain/services.ts'
import * as commands from '../../domain/webhook/commands.ts'
import * as queries from '../../domain/webhook/commands.ts'
import type { DeliverySummary } from '../../domain/webhook/log.ts'
import * as log from '../../domain/webhook/log.ts'
import type { DeliveryAttempt, Webhook } from '../../domain/webhook/webhook.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { collectionUri, webhookUri } from './urls.ts'

export const listWebhooks: Operation<'listWebhooks'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const { total, webhooks } = await queries.listWebhooks(context, page)
  const results = webhooks.map((webhook) => webhookView(context.services, webhook))
  return pageReply(collectionUri(context.services, 'webhooks'), search, page, total, results)
}

export const createWebhook: Operation<'createWebhook'> = async ({ context, body }) => {
  const { subscription_url: subscriptionUrl, event = body.event_type ?? '', survey, collector, format } = body
  const { webhook, secret } = await commands.subscribe(context, { subscriptionUrl, event, survey, collector, format })
  return { status: 201, body: { ...webhookView(context.services, webhook), secret } }
}

export const getWebhook: Operation<'getWebhook'> = async ({ context, path }) => {
  return { status: 200, body: webhookView(context.services, await queries.findWebhook(context, path.webhook_id)) }
}

export const deleteWebhook: Operation<'deleteWebhook'> = async ({ context, path }) => {
  await commands.deleteWebhook(context, path.webhook_id)
  return { status: 200, body: 'OK' }
}

export const rotateWebhookSecret: Operation<'rotateWebhookSecret'> = async ({ context, path }) => {
  const { webhook, secret } = await commands.rotateSecret(context, path.webhook_id)
  return { status: 200, body: { ...webhookView(context.services, webhook), secret } }
}

export const pingWebhook: Operation<'pingWebhook'> = async ({ context, path }) => {
  return { status: 202, body: deliveryView(context.services, await log.ping(context, path.webhook_id)) }
}

export const listDeliveries: Operation<'listDeliveries'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, deliveries } = await log.listDeliveries(context, path.webhook_id, page)
  const results = deliveries.map((delivery) => deliveryView(context.services, delivery))
  return pageReply(`${webhookUri(context.services, path.webhook_id)}deliveries/`, search, page, total, results)
}

export const getDelivery: Operation<'getDelivery'> = async ({ context, path }) => {
  const delivery = await log.findDelivery(context, path.webhook_id, path.delivery_id)
  return { status: 200, body: deliveryView(context.services, delivery) }
}

export const redeliver: Operation<'redeliver'> = async ({ context, path }) => {
  const delivery = await log.redeliver(context, path.webhook_id, path.delivery_id)
  return { status: 202, body: deliveryView(context.services, delivery) }
}

const time = (date: Date | null | undefined) => date?.toISOString() ?? null

function webhookView(services: Services, webhook: Webhook): Schemas['Webhook'] {
  const uri = webhookUri(services, webhook.id)
  return {
    id: webhook.id,
    event: webhook.event,
    survey: webhook.survey?.id ?? null,
    collector: webhook.collector?.id ?? null,
    subscription_url: webhook.subscriptionUrl,
    format: webhook.format,
    created_at: webhook.createdAt.toISOString(),
    disabled_at: time(webhook.disabledAt),
    disabled_reason: webhook.disabledReason ?? null,
    webhook_uri: uri,
    deliveries_uri: `${uri}deliveries/`,
  }
}

const attemptView = ({ at, status, error, answer, ms }: DeliveryAttempt): Schemas['Attempt'] => ({
  attempted_at: at,
  status: status ?? null,
  error: error ?? null,
  response_body: answer ?? null,
  duration_ms: ms,
})

function deliveryView(services: Services, delivery: DeliverySummary): Schemas['Delivery'] {
  const uri = `${webhookUri(services, delivery.webhookId)}deliveries/${delivery.id}/`
  return {
    id: delivery.id,
    event: delivery.event,
    message_id: delivery.messageId,
    status: delivery.deliveredAt ? 'delivered' : delivery.nextAttemptAt ? 'pending' : 'failed',
    response_code: delivery.attempts.at(-1)?.status ?? null,
    attempts: delivery.attempts.map(attemptView),
    next_attempt_at: time(delivery.nextAttemptAt),
    delivered_at: time(delivery.deliveredAt),
    created_at: delivery.createdAt.toISOString(),
    request_body: delivery.body,
    delivery_uri: uri,
    redeliver_uri: `${uri}redeliver/`,
  }
}

export const getNotification: Operation<'getNotification'> = async ({ context, path }) => ({
  status: 200,
  body: { frequency: await domain.findNotification(context, path.survey_id) },
})

export const updateNotification: Operation<'updateNotification'> = async ({ context, path, body }) => ({
  status: 200,
  body: { frequency: await domain.setNotification(context, path.survey_id, body.frequency) },
})
