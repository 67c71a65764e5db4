import type { DeliveryAttempt } from '../../../domain/webhook/delivery.ts'
import { type DeliverySummary, findDelivery, redeliver } from '../../../domain/webhook/log.ts'
import { type Html, html } from '../../../lib/html.ts'
import { counted } from '../../layout/pluralize.ts'
import { backTo } from '../../layout/back-link.ts'
import { moment } from '../../layout/time-tag.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn, type SignedIn } from '../../session.ts'
import type { Answer } from '../../page.ts'
import { attemptText, outcomeView, stateView } from './delivery-view.ts'
import { type Place, webhookIn } from './scope.ts'

/** So near an attempt, in milliseconds, the page waits for it. */
const SOON = 60_000

/** One message: what was sent, and how each attempt went. */
export async function showDelivery(visit: SignedIn, place: Place): Promise<Answer> {
  const webhook = await webhookIn(visit, place)
  const delivery = await findDelivery(visit.context, webhook.id, idIn(visit.params.delivery))
  const { nextAttemptAt } = delivery
  // The next attempt is a matter of seconds: it is waited for.
  const busy = nextAttemptAt && nextAttemptAt.getTime() < visit.context.now.getTime() + SOON && html` data-under-way`
  return visit.show({
    title: 'Delivery',
    scripts: ['under-way.js'],
    above: backTo(`${place.path}${webhook.id}/`, webhook.subscriptionUrl),
    content: html`<section class="card" id="details" aria-labelledby="about"${busy}><div class="line"><h2 id="about">Details</h2>${stateView(delivery)}</div>
<dl class="facts"><dt>Event</dt><dd><code>${delivery.event}</code></dd><dt>Made</dt><dd>${moment(delivery.createdAt)}</dd><dt>State</dt><dd>${outcomeView(delivery)}</dd></dl>
<form method="post" class="below">${csrfField(visit.csrf)}<button class="small">${delivery.attempts.length > 0 ? 'Send it again' : 'Send it now'}</button></form></section>
<section class="card" id="tries" aria-labelledby="attempts"${busy}><h2 id="attempts">${counted(delivery.attempts.length, 'attempt')}</h2>${
      delivery.attempts.length === 0
        ? html`<p class="soft">It has not been sent yet.</p>`
        : html`<ol class="rows">${delivery.attempts.map(attemptRow)}</ol>`
    }</section>${sentView(delivery)}`,
  })
}

const attemptRow = (attempt: DeliveryAttempt): Html =>
  html`<li><div class="grow">${moment(new Date(attempt.at))}: ${attemptText(attempt)} <span class="soft">in ${attempt.ms.toLocaleString('en')} ms</span>${
    attempt.answer && html`<p class="said"><span class="soft">It said:</span> <q>${attempt.answer}</q></p>`
  }</div></li>`

/** The request as its subscriber gets it; time and signature are another in every attempt. */
function sentView({ messageId, body }: DeliverySummary): Html {
  const headers: readonly (readonly [string, string])[] = [
    ['content-type', 'application/x-www-form-urlencoded'],
    ['user-agent', 'Canvass-Webhooks/1'],
    ['webhook-id', messageId],
    ['webhook-timestamp', 'seconds since 1970 of each attempt'],
    ['webhook-signature', 'made with the secret, for each attempt'],
  ]
  const list = (pairs: Iterable<readonly [string, string]>) =>
    html`<dl class="facts">${[...pairs].map(([name, value]) => html`<dt><code>${name}</code></dt><dd>${value || html`<span class="soft">empty</span>`}</dd>`)}</dl>`
  return html`<section class="card" aria-labelledby="headers"><h2 id="headers">Headers</h2>${list(headers)}</section>
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2>${
    body === null
      ? html`<p class="soft">It is written with the first attempt.</p>`
      : html`${list(new URLSearchParams(body))}<details class="raw"><summary>As it was sent</summary><pre class="plain-text" tabindex="0" role="region" aria-label="Body as it was sent">${body}</pre></details>`
  }</section>`
}

/** Sends a message again, under its old id. */
export async function redeliverOne(visit: SignedIn, place: Place): Promise<Answer> {
  const { id } = await webhookIn(visit, place)
  const delivery = await visit.write((context) => redeliver(context, id, idIn(visit.params.delivery)))
  visit.tell('It is on its way.')
  return { redirect: `${place.path}${id}/deliveries/${delivery.id}/` }
}
