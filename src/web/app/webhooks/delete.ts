import { deleteWebhook } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { scopeOf, type WebhookScope, webhookIn } from './scope.ts'

/** Asks before an address is told no more. */
export async function askToRemoveWebhook(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const webhook = await webhookIn(request, place)
  const path = `${place.path}${webhook.id}/`
  return confirmPage(request, {
    title: 'Delete this webhook?',
    beforeHeading: backLink(path, 'Webhook'),
    text: html`This stops deliveries to <span class="address">${webhook.subscriptionUrl}</span> (${scopeOf(webhook)}) and deletes its delivery log. Pending deliveries are not sent.`,
    button: 'Delete webhook',
    cancel: { label: 'Cancel', path },
  })
}

export async function removeWebhook(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await webhookIn(request, place)
  await request.write((context) => deleteWebhook(context, id))
  request.flash(`Webhook for ${subscriptionUrl} deleted.`)
  return { redirect: place.path }
}
