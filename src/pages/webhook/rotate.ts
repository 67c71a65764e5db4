import { rotateSecret } from '../../domain/webhook/commands.ts'
import type { SignedIn } from '../signed-in.ts'
import type { Answer } from '../visit.ts'
import { type Place, webhookIn } from './place.ts'
import { secretPage } from './secret.ts'

/** A new secret, shown in the answer to the form. */
export async function newSecret(visit: SignedIn, place: Place): Promise<Answer> {
  const { id } = await webhookIn(visit, place)
  const { webhook, secret } = await visit.write((context) => rotateSecret(context, id))
  return secretPage(visit, place, webhook, secret, 'For 24 hours messages are signed with the old secret too.')
}
