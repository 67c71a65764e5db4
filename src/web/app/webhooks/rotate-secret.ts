import { rotateSecret } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { ask } from '../../forms/confirm.ts'
import { backTo } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { type WebhookScope, webhookIn } from './scope.ts'
import { secretPage } from './secret.ts'

/** Asks before messages are signed otherwise. */
export async function askForNewSecret(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await webhookIn(request, place)
  const path = `${place.path}${id}/`
  return ask(request, {
    title: 'Replace the secret?',
    above: backTo(path, 'The webhook'),
    text: html`Messages to <span class="address">${subscriptionUrl}</span> are signed with a new secret at once, and for 24 hours with the old one too. Afterwards your program has to know the new one. Nobody can bring the old one back.`,
    button: 'Replace the secret',
    keep: { label: 'Keep the old one', path },
  })
}

/** A new secret, shown in the answer to the form. */
export async function newSecret(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { id } = await webhookIn(request, place)
  const { webhook, secret } = await request.write((context) => rotateSecret(context, id))
  return secretPage(request, place, webhook, secret, 'For 24 hours messages are signed with the old secret too.')
}
