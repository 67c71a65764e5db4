import { ping } from '../../../domain/webhook/log.ts'
import type { SignedIn } from '../../session.ts'
import type { Answer } from '../../page.ts'
import { type Place, webhookIn } from './scope.ts'

/** Sends a sample of the webhook's event, and goes to what becomes of it. */
export async function sendSample(visit: SignedIn, place: Place): Promise<Answer> {
  const { id } = await webhookIn(visit, place)
  const delivery = await visit.write((context) => ping(context, id))
  visit.tell('A sample is on its way.')
  return { redirect: `${place.path}${id}/deliveries/${delivery.id}/` }
}
