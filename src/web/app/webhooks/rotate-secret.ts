import { rotateSecret } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { type WebhookScope, webhookIn } from './scope.ts'
import { secretPage } from './secret.ts'

/** Asks before messages are signed otherwise. */
export async function askForNewSecret(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await webhookIn(request, place)
  const path = `${place.path}${id}/`
  return confirmPage(request, {
    title: 'Replace signing secret?',
    beforeHeading: backLink(path, 'Webhook'),
    text: html`Messages to <span class="address">${subscriptionUrl}</span> are signed with both the new and the old secret for 24 hours, then with the new one only. Update your system within 24 hours. You cannot restore the old secret.`,
    button: 'Replace secret',
    cancel: { label: 'Cancel', path },
  })
}

/** A new secret, shown in the answer to the form. */
export async function newSecret(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { id } = await webhookIn(request, place)
  const { webhook, secret } = await request.write((context) => rotateSecret(context, id))
  return secretPage(request, place, webhook, secret, 'Secret replaced. The old secret also works for 24 hours.')
}
