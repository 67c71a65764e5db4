import * as commands from '../../domain/webhook/commands.ts'
import * as log from '../../domain/webhook/log.ts'
import * as queries from '../../domain/webhook/queries.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation } from './operation.ts'
import { collectionUri, webhookUri } from './urls.ts'
import { deliveryView, webhookView } from './webhook-views.ts'

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
