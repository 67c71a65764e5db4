import { listWebhooks, withScope } from '../../../domain/webhook/commands.ts'
import type { Webhook } from '../../../domain/webhook/webhook.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { t } from '../../i18n/t.ts'
import { dateTag } from '../../layout/format.ts'
import { emptyState, icon, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { enabledTag, eventText, reasonText, type WebhookScope } from './scope.ts'

const PAGE_SIZE = 20

/** Lists the webhooks of an account or of a survey. */
export async function showWebhooks(request: SignedInRequest, { path, survey }: WebhookScope): Promise<PageResult> {
  const { context, query } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, webhooks } = await listWebhooks(context, page, survey?.id)
  await withScope(context, webhooks)
  return request.render({
    title: t('Webhooks'),
    action: total > 0 && html`<a class="button" href="${path}new/">${icon('plus')}Add webhook</a>`,
    content: html`<p class="soft">${
      survey
        ? html`A webhook sends a message to your system when an event occurs in this survey. <a href="/account/webhooks/">View all your webhooks</a>.`
        : t(
            'A webhook sends a message to your system when an event occurs. Messages are signed, so that your system can verify them.',
          )
    }</p>${
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
    }${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}`,
  })
}

const card = (webhook: Webhook, path: string): Html =>
  html`<li class="card"><div class="line"><h2 class="url"><a href="${path}${webhook.id}/">${webhook.subscriptionUrl}</a></h2>${enabledTag(webhook)}</div>
<p class="soft">${eventText(webhook)}. Added on ${dateTag(webhook.createdAt)}.</p>${webhook.disabledReason && html`<p>${reasonText(webhook.disabledReason)}</p>`}</li>`
