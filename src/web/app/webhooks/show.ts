import { type DeliverySummary, listDeliveries } from '../../../domain/webhook/log.ts'
import type { BodyFormat } from '../../../domain/webhook-form.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { backLink, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { outcomeView, statusTag } from './delivery-view.ts'
import { reasonText } from './reason-text.ts'
import { enabledTag, eventText, findScopedWebhook, formatLabels, type WebhookScope } from './scope.ts'

const PAGE_SIZE = 30

/** Shows a webhook with its deliveries. */
export async function showWebhook(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { context, query, csrf } = request
  const webhook = await findScopedWebhook(request, scope)
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, deliveries } = await listDeliveries(context, webhook.id, page)
  const path = `${scope.path}${webhook.id}/`
  const { previousUntil, disabledAt, disabledReason } = webhook
  return request.render({
    title: t('Webhook'),
    beforeHeading: backLink(scope.path, t('All webhooks')),
    content: html`${
      disabledAt &&
      html`<section class="alert" aria-labelledby="off"><h2 id="off">Webhook disabled</h2><p>Deliveries stopped on ${timeTag(disabledAt)}. ${reasonText(disabledReason ?? '')} To enable the webhook, open a delivery below and select “Redeliver”, or send a sample. The webhook is enabled when a delivery succeeds.</p></section>`
    }<section class="card" aria-labelledby="about"><div class="line"><h2 id="about">Details</h2>${enabledTag(webhook)}</div>
<dl class="facts"><dt>URL</dt><dd>${webhook.subscriptionUrl}</dd><dt>Event</dt><dd>${eventText(webhook)} <code>${webhook.event}</code></dd><dt>Message format</dt><dd>${formatLabels()[webhook.format as BodyFormat]}</dd><dt>Created</dt><dd>${timeTag(webhook.createdAt)}</dd>${
      previousUntil &&
      previousUntil > context.now &&
      html`<dt>Secret</dt><dd>Replaced. The old secret is valid until ${timeTag(previousUntil)}</dd>`
    }</dl>
<div class="row-actions"><form method="post" action="${path}ping/">${csrfField(csrf)}<button class="small">Send sample</button></form><a class="button plain small" href="${path}rotate/">Replace secret…</a><a class="button plain small danger" href="${path}delete/">Delete…</a></div></section>
<section class="card" aria-labelledby="log"><h2 id="log">${pluralize(total, 'delivery', 'deliveries')}</h2>${
      total === 0
        ? html`<p class="soft">No deliveries yet. Send a sample to test the webhook.</p>`
        : html`<ul class="rows">${deliveries.map((delivery) => row(delivery, path))}</ul>`
    }</section>${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}`,
  })
}

const row = (delivery: DeliverySummary, path: string): Html =>
  html`<li><div class="grow"><a href="${path}deliveries/${delivery.id}/">${timeTag(delivery.createdAt)}</a><p class="soft">${outcomeView(delivery)}</p></div>${statusTag(delivery)}</li>`
