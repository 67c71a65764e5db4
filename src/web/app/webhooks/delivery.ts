import type { DeliveryAttempt } from '../../../domain/webhook/delivery.ts'
import { type DeliverySummary, findDelivery, redeliver } from '../../../domain/webhook/log.ts'
import { type BodyFormat, bodyFormats, decodeBody, type WebhookForm } from '../../../domain/webhook-form.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { attemptText, outcomeView, statusTag } from './delivery-view.ts'
import { findScopedWebhook, type WebhookScope } from './scope.ts'

/** The script refreshes the page if the next attempt is due within this time. */
const REFRESH_WINDOW_MS = 60_000

/** Shows a delivery: its request and its attempts. */
export async function showDelivery(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const webhook = await findScopedWebhook(request, scope)
  const delivery = await findDelivery(request.context, webhook.id, parseId(request.params.delivery))
  const { nextAttemptAt } = delivery
  const refresh =
    nextAttemptAt &&
    nextAttemptAt.getTime() < request.context.now.getTime() + REFRESH_WINDOW_MS &&
    html` data-under-way`
  return request.render({
    title: t('Delivery'),
    scripts: ['under-way.js'],
    beforeHeading: backLink(`${scope.path}${webhook.id}/`, webhook.subscriptionUrl),
    content: html`<section class="card" id="details" aria-labelledby="about"${refresh}><div class="line"><h2 id="about">Details</h2>${statusTag(delivery)}</div>
<dl class="facts"><dt>Event</dt><dd><code>${delivery.event}</code></dd><dt>Created</dt><dd>${timeTag(delivery.createdAt)}</dd><dt>Status</dt><dd>${outcomeView(delivery)}</dd></dl>
<form method="post" class="below">${csrfField(request.csrf)}<button class="small">${delivery.attempts.length > 0 ? t('Redeliver') : t('Send now')}</button></form></section>
<section class="card" id="tries" aria-labelledby="attempts"${refresh}><h2 id="attempts">${pluralize(delivery.attempts.length, 'attempt')}</h2>${
      delivery.attempts.length === 0
        ? html`<p class="soft">Not attempted yet.</p>`
        : html`<ol class="rows">${delivery.attempts.map(attemptRow)}</ol>`
    }</section>${requestView(delivery, webhook.format)}`,
  })
}

const attemptRow = (attempt: DeliveryAttempt): Html =>
  html`<li><div class="grow">${timeTag(new Date(attempt.at))}: ${attemptText(attempt)} <span class="soft">in ${attempt.ms.toLocaleString(pageLanguage())} ms</span>${
    attempt.answer &&
    html`<p class="response-text"><span class="soft">Your system replied:</span> <q>${attempt.answer}</q></p>`
  }</div></li>`

/**
 * Renders the headers and the body of the request. The timestamp and the signature are described and not shown, because
 * they are different for each attempt.
 */
function requestView({ messageId, body }: DeliverySummary, format: BodyFormat): Html {
  const headers: readonly (readonly [string, string])[] = [
    ['content-type', bodyFormats[format]],
    ['user-agent', 'Canvass-Webhooks/1'],
    ['webhook-id', messageId],
    ['webhook-timestamp', t('Unix time of each attempt')],
    ['webhook-signature', t('signature of each attempt')],
  ]
  const list = (pairs: WebhookForm) =>
    html`<dl class="facts">${pairs.map(([name, value]) => html`<dt><code>${name}</code></dt><dd>${value || html`<span class="soft">empty</span>`}</dd>`)}</dl>`
  return html`<section class="card" aria-labelledby="headers"><h2 id="headers">Headers</h2>${list(headers)}</section>
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2>${
    body === null
      ? html`<p class="soft">Created at the first attempt.</p>`
      : html`${list(decodeBody(format, body))}<details class="raw"><summary>Raw body</summary><pre class="plain-text" tabindex="0" role="region" aria-label="Raw body">${body}</pre></details>`
  }</section>`
}

/** Queues a delivery for an immediate attempt. The message keeps its ID. */
export async function redeliverPage(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id } = await findScopedWebhook(request, scope)
  const delivery = await request.write((context) => redeliver(context, id, parseId(request.params.delivery)))
  request.flash(t('Delivery queued.'))
  return { redirect: `${scope.path}${id}/deliveries/${delivery.id}/` }
}
