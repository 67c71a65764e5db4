import { deleteWebhook, listWebhooks, withScope } from '../../../domain/webhook/commands.ts'
import { type DeliverySummary, findDelivery, listDeliveries, ping, redeliver } from '../../../domain/webhook/log.ts'
import type { DeliveryAttempt, Webhook } from '../../../domain/webhook/webhook.ts'
import { type BodyFormat, bodyFormats, decodeBody, type WebhookForm } from '../../../domain/webhook-form.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, pluralize, timeTag } from '../../layout/format.ts'
import { backLink, emptyState, icon, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { enabledTag, eventText, findScopedWebhook, formatLabels, reasonText, type WebhookScope } from './scope.ts'

const LIST_PAGE_SIZE = 20

/** Lists the webhooks of an account or of a survey. */
export async function showWebhooks(request: SignedInRequest, { path, survey }: WebhookScope): Promise<PageResult> {
  const { context, query } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: LIST_PAGE_SIZE, max: LIST_PAGE_SIZE })
  const { total, webhooks } = await listWebhooks(context, page, survey?.id)
  await withScope(context, webhooks)
  return request.render({
    title: t('Webhooks'),
    action: total > 0 && html`<a class="button" href="${path}new/">${icon('plus')}Add webhook</a>`,
    content: html`
      <p class="soft">
        ${
          survey
            ? html`
              A webhook sends a message to your system when an event occurs in this
              survey. <a href="/account/webhooks/">View all your webhooks</a>.`
            : t(
                'A webhook sends a message to your system when an event occurs. Messages are signed, so that your system can verify them.',
              )
        }
      </p>
      ${
        total === 0
          ? emptyState(
              'webhooks',
              t('No webhooks yet'),
              t(
                'Add the URL of your system. Canvass sends it a POST request for each event and retries failed deliveries.',
              ),
              { path: `${path}new/`, label: t('Add webhook') },
            )
          : html`<ul class="cards">${webhooks.map((webhook) => card(webhook, path))}</ul>`
      }
      ${pager({
        number: page.number,
        total,
        size: LIST_PAGE_SIZE,
        path: (number) => pathWith(path, { page: number }),
      })}`,
  })
}

const card = (webhook: Webhook, path: string): Html =>
  html`<li class="card">
    <div class="line">
      <h2 class="url"><a href="${path}${webhook.id}/">${webhook.subscriptionUrl}</a></h2>
      ${enabledTag(webhook)}
    </div>
    <p class="soft">${eventText(webhook)}. Added on ${dateTag(webhook.createdAt)}.</p>
    ${webhook.disabledReason && html`<p>${reasonText(webhook.disabledReason)}</p>`}
  </li>`

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
    content: html`
      ${
        disabledAt &&
        html`<section class="alert" aria-labelledby="off">
          <h2 id="off">Webhook disabled</h2>
          <p>
            Deliveries stopped on ${timeTag(disabledAt)}. ${reasonText(disabledReason ?? '')} To enable the webhook,
            open a delivery below and select “Redeliver”, or send a sample. The webhook is enabled when a delivery
            succeeds.
          </p>
        </section>`
      }
      <section class="card" aria-labelledby="about">
        <div class="line"><h2 id="about">Details</h2>${enabledTag(webhook)}</div>
        <dl class="facts">
          <dt>URL</dt>
          <dd>${webhook.subscriptionUrl}</dd>
          <dt>Event</dt>
          <dd>${eventText(webhook)} <code>${webhook.event}</code></dd>
          <dt>Message format</dt>
          <dd>${formatLabels()[webhook.format as BodyFormat]}</dd>
          <dt>Created</dt>
          <dd>${timeTag(webhook.createdAt)}</dd>
          ${
            previousUntil &&
            previousUntil > context.now &&
            html`<dt>Secret</dt><dd>Replaced. The old secret is valid until ${timeTag(previousUntil)}</dd>`
          }
        </dl>
        <div class="row-actions">
          <form method="post" action="${path}ping/">${csrfField(csrf)}<button class="small">Send sample</button></form>
          <a class="button plain small" href="${path}rotate/">Replace secret…</a>
          <a class="button plain small danger" href="${path}delete/">Delete…</a>
        </div>
      </section>
      <section class="card" aria-labelledby="log">
        <h2 id="log">${pluralize(total, 'delivery', 'deliveries')}</h2>
        ${
          total === 0
            ? html`<p class="soft">No deliveries yet. Send a sample to test the webhook.</p>`
            : html`<ul class="rows">${deliveries.map((delivery) => row(delivery, path))}</ul>`
        }
      </section>
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}`,
  })
}

const row = (delivery: DeliverySummary, path: string): Html =>
  html`<li>
    <div class="grow">
      <a href="${path}deliveries/${delivery.id}/">${timeTag(delivery.createdAt)}</a>
      <p class="soft">${outcomeView(delivery)}</p>
    </div>
    ${statusTag(delivery)}
  </li>`

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
    content: html`
      <section class="card" id="details" aria-labelledby="about"${refresh}>
        <div class="line"><h2 id="about">Details</h2>${statusTag(delivery)}</div>
        <dl class="facts">
          <dt>Event</dt>
          <dd><code>${delivery.event}</code></dd>
          <dt>Created</dt>
          <dd>${timeTag(delivery.createdAt)}</dd>
          <dt>Status</dt>
          <dd>${outcomeView(delivery)}</dd>
        </dl>
        <form method="post" class="below">
          ${csrfField(request.csrf)}
          <button class="small">${delivery.attempts.length > 0 ? t('Redeliver') : t('Send now')}</button>
        </form>
      </section>
      <section class="card" id="tries" aria-labelledby="attempts"${refresh}>
        <h2 id="attempts">${pluralize(delivery.attempts.length, 'attempt')}</h2>
        ${
          delivery.attempts.length === 0
            ? html`<p class="soft">Not attempted yet.</p>`
            : html`<ol class="rows">${delivery.attempts.map(attemptRow)}</ol>`
        }
      </section>
      ${requestView(delivery, webhook.format)}`,
  })
}

const attemptRow = (attempt: DeliveryAttempt): Html =>
  html`<li>
    <div class="grow">
      ${timeTag(new Date(attempt.at))}:
      ${attemptText(attempt)} <span class="soft">in ${attempt.ms.toLocaleString(pageLanguage())} ms</span>
      ${
        attempt.answer &&
        html`<p class="response-text"><span class="soft">Your system replied:</span> <q>${attempt.answer}</q></p>`
      }
    </div>
  </li>`

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
    html`<dl class="facts">
      ${pairs.map(
        ([name, value]) =>
          html`<dt><code>${name}</code></dt><dd>${value || html`<span class="soft">empty</span>`}</dd>`,
      )}
    </dl>`
  return html`
    <section class="card" aria-labelledby="headers"><h2 id="headers">Headers</h2>${list(headers)}</section>
    <section class="card" aria-labelledby="body">
      <h2 id="body">Body</h2>
      ${
        body === null
          ? html`<p class="soft">Created at the first attempt.</p>`
          : html`
            ${list(decodeBody(format, body))}
            <details class="raw">
              <summary>Raw body</summary>
              <pre class="plain-text" tabindex="0" role="region" aria-label="Raw body">${body}</pre>
            </details>`
      }
    </section>`
}

/** Queues a delivery for an immediate attempt. The message keeps its ID. */
export async function redeliverPage(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id } = await findScopedWebhook(request, scope)
  const delivery = await request.write((context) => redeliver(context, id, parseId(request.params.delivery)))
  request.flash(t('Delivery queued.'))
  return { redirect: `${scope.path}${id}/deliveries/${delivery.id}/` }
}

/** Renders the status of a delivery as a tag. */
function statusTag({ deliveredAt, nextAttemptAt }: DeliverySummary): Html {
  if (deliveredAt) return html`<span class="tag good">Delivered</span>`
  return nextAttemptAt ? html`<span class="tag">Pending</span>` : html`<span class="tag bad">Failed</span>`
}

/** Returns the outcome of an attempt. */
const attemptText = ({ status, error }: DeliveryAttempt): string =>
  status === undefined ? (error ?? t('no response')) : `HTTP ${status}`

/** Renders the outcome of the last attempt, the number of attempts, and the time of the next attempt. */
function outcomeView({ attempts, nextAttemptAt, deliveredAt }: DeliverySummary): Html {
  const last = attempts.at(-1)
  return html`${last ? `${attemptText(last)}, ${pluralize(attempts.length, 'attempt')}` : t('not attempted yet')}${
    !deliveredAt && nextAttemptAt && attempts.length > 0 && html`, next attempt ${timeTag(nextAttemptAt)}`
  }`
}

/** Queues a sample delivery and redirects to its page. */
export async function sendSample(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id } = await findScopedWebhook(request, scope)
  const delivery = await request.write((context) => ping(context, id))
  request.flash(t('Sample delivery queued.'))
  return { redirect: `${scope.path}${id}/deliveries/${delivery.id}/` }
}

/** Asks for confirmation before a webhook is deleted. */
export async function confirmDeleteWebhook(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const webhook = await findScopedWebhook(request, scope)
  const path = `${scope.path}${webhook.id}/`
  return confirmPage(request, {
    title: t('Delete this webhook?'),
    beforeHeading: backLink(path, t('Webhook')),
    text: html`
      This stops deliveries to <span class="address">${webhook.subscriptionUrl}</span> (${eventText(webhook)}) and
      deletes its delivery log. Pending deliveries are not sent.`,
    button: t('Delete webhook'),
    cancel: { label: t('Cancel'), path },
  })
}

export async function removeWebhook(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await findScopedWebhook(request, scope)
  await request.write((context) => deleteWebhook(context, id))
  request.flash(t('Webhook for {subscriptionUrl} deleted.', { subscriptionUrl }))
  return { redirect: scope.path }
}
