import { deleteWebhook } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { ask } from '../../forms/confirm.ts'
import { backTo } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { scopeOf, type WebhookScope, webhookIn } from './scope.ts'

/** Asks before an address is told no more. */
export async function askToRemoveWebhook(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const webhook = await webhookIn(request, place)
  const path = `${place.path}${webhook.id}/`
  return ask(request, {
    title: 'Delete this webhook?',
    above: backTo(path, 'The webhook'),
    text: html`<span class="address">${webhook.subscriptionUrl}</span> will be told no more (${scopeOf(webhook)}). Its deliveries are forgotten, and what waits is not sent.`,
    button: 'Delete it',
    keep: { label: 'Keep it', path },
  })
}

export async function removeWebhook(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await webhookIn(request, place)
  await request.write((context) => deleteWebhook(context, id))
  request.flash(`${subscriptionUrl} is told no more.`)
  return { redirect: place.path }
}
