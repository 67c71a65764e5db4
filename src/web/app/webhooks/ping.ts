import { ping } from '../../../domain/webhook/log.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { type WebhookScope, webhookIn } from './scope.ts'

/** Sends a sample of the webhook's event, and goes to what becomes of it. */
export async function sendSample(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { id } = await webhookIn(request, place)
  const delivery = await request.write((context) => ping(context, id))
  request.flash('Sample delivery queued.')
  return { redirect: `${place.path}${id}/deliveries/${delivery.id}/` }
}
