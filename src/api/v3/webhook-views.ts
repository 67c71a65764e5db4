import type { Services } from '../../domain/services.ts'
import type { DeliveryAttempt } from '../../domain/webhook/delivery.ts'
import type { DeliverySummary } from '../../domain/webhook/log.ts'
import type { Webhook } from '../../domain/webhook/webhook.ts'
import type { Schemas } from './operation.ts'
import { webhookUri } from './urls.ts'

const time = (date: Date | null | undefined) => date?.toISOString() ?? null

export function webhookView(services: Services, webhook: Webhook): Schemas['Webhook'] {
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

export function deliveryView(services: Services, delivery: DeliverySummary): Schemas['Delivery'] {
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
