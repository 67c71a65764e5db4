import { deleteWebhook } from '../../domain/webhook/commands.ts'
import { html } from '../../lib/html.ts'
import { csrfField } from '../shell.ts'
import type { SignedIn } from '../signed-in.ts'
import type { Answer } from '../visit.ts'
import { type Place, scopeOf, webhookIn } from './place.ts'

/** Asks before an address is told no more. */
export async function askToRemoveWebhook(visit: SignedIn, place: Place): Promise<Answer> {
  const webhook = await webhookIn(visit, place)
  return visit.show({
    title: 'Delete this webhook?',
    content: html`<section class="card"><p><span class="address">${webhook.subscriptionUrl}</span> will be told no more (${scopeOf(webhook)}). Its deliveries are forgotten, and what waits is not sent.</p>
<form method="post" class="actions">${csrfField(visit.csrf)}<button class="danger">Delete it</button><a class="button plain" href="${place.path}${webhook.id}/">Keep it</a></form></section>`,
  })
}

export async function removeWebhook(visit: SignedIn, place: Place): Promise<Answer> {
  const { id, subscriptionUrl } = await webhookIn(visit, place)
  await visit.write((context) => deleteWebhook(context, id))
  visit.tell(`${subscriptionUrl} is told no more.`)
  return { redirect: place.path }
}
