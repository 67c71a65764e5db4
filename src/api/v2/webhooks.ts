import * as commands from '../../domain/webhook/commands.ts'
import type { Webhook } from '../../domain/webhook/webhook.ts'
import type { Operation, Schemas } from './operation.ts'

const idText = (entity: { id: number } | null | undefined) => (entity ? String(entity.id) : null)

/** Shows a webhook (docs/specification.md 11.1). */
const webhookView = (webhook: Webhook): Schemas['Webhook'] => ({
  id: webhook.id,
  event_type: webhook.event,
  survey: idText(webhook.survey),
  collector: idText(webhook.collector),
  subscription_url: webhook.subscriptionUrl,
})

const idOf = (id: number | string | undefined) => (id === undefined ? undefined : Number(id))

export const listWebhooks: Operation<'listWebhooks'> = async ({ context }) => {
  const { total, webhooks } = await commands.listWebhooks(context)
  return { status: 200, body: { webhooks: webhooks.map(webhookView), total } }
}

export const subscribeWebhook: Operation<'subscribeWebhook'> = async ({ context, body }) => {
  const { webhook, secret } = await commands.subscribe(context, {
    subscriptionUrl: body.subscription_url,
    event: body.event ?? body.event_type ?? '',
    survey: idOf(body.survey),
    collector: idOf(body.collector),
  })
  return { status: 201, body: { ...webhookView(webhook), secret } }
}

export const unsubscribeWebhook: Operation<'unsubscribeWebhook'> = async ({ context, body }) => {
  await commands.unsubscribe(context, body.subscription_url)
  return { status: 200, body: { success: true } }
}
