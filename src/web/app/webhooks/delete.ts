import { deleteWebhook } from '../../../domain/webhook/commands.ts'
import { html } from '../../../lib/html.ts'
import { ask } from '../../forms/confirm.ts'
import { backTo } from '../../layout/back-link.ts'
import type { SignedIn } from '../../session.ts'
import type { Answer } from '../../page.ts'
import { type Place, scopeOf, webhookIn } from './scope.ts'

/** Asks before an address is told no more. */
export async function askToRemoveWebhook(visit: SignedIn, place: Place): Promise<Answer> {
  const webhook = await webhookIn(visit, place)
  const path = `${place.path}${webhook.id}/`
  return ask(visit, {
    title: 'Delete this webhook?',
    above: backTo(path, 'The webhook'),
    text: html`<span class="address">${webhook.subscriptionUrl}</span> will be told no more (${scopeOf(webhook)}). Its deliveries are forgotten, and what waits is not sent.`,
    button: 'Delete it',
    keep: { label: 'Keep it', path },
  })
}

export async function removeWebhook(visit: SignedIn, place: Place): Promise<Answer> {
  const { id, subscriptionUrl } = await webhookIn(visit, place)
  await visit.write((context) => deleteWebhook(context, id))
  visit.tell(`${subscriptionUrl} is told no more.`)
  return { redirect: place.path }
}
