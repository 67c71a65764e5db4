import { ping } from '../../../domain/webhook/log.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { findScopedWebhook, type WebhookScope } from './scope.ts'

/** Sends a sample of the webhook's event, and shows its delivery. */
export async function sendSample(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id } = await findScopedWebhook(request, scope)
  const delivery = await request.write((context) => ping(context, id))
  request.flash('Sample delivery queued.')
  return { redirect: `${scope.path}${id}/deliveries/${delivery.id}/` }
}
