import { rotateSecret } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { ask } from '../../forms/confirm.ts'
import { backTo } from '../../layout/back-link.ts'
import type { SignedIn } from '../../session.ts'
import type { Answer } from '../../page.ts'
import { type Place, webhookIn } from './scope.ts'
import { secretPage } from './secret.ts'

/** Asks before messages are signed otherwise. */
export async function askForNewSecret(visit: SignedIn, place: Place): Promise<Answer> {
  const { id, subscriptionUrl } = await webhookIn(visit, place)
  const path = `${place.path}${id}/`
  return ask(visit, {
    title: 'Replace the secret?',
    above: backTo(path, 'The webhook'),
    text: html`Messages to <span class="address">${subscriptionUrl}</span> are signed with a new secret at once, and for 24 hours with the old one too. Afterwards your program has to know the new one. Nobody can bring the old one back.`,
    button: 'Replace the secret',
    keep: { label: 'Keep the old one', path },
  })
}

/** A new secret, shown in the answer to the form. */
export async function newSecret(visit: SignedIn, place: Place): Promise<Answer> {
  const { id } = await webhookIn(visit, place)
  const { webhook, secret } = await visit.write((context) => rotateSecret(context, id))
  return secretPage(visit, place, webhook, secret, 'For 24 hours messages are signed with the old secret too.')
}
