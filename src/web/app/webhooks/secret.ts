import type { Webhook } from '../../../domain/webhook/webhook.ts'
import { html } from '../../../lib/html.ts'
import { copyButton } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import type { WebhookScope } from './scope.ts'

/** Shows the signing secret of a webhook. No later page can show it. */
export const secretPage = (
  request: SignedInRequest,
  { path }: WebhookScope,
  { id, subscriptionUrl }: Webhook,
  secret: string,
  done: string,
): PageResult =>
  request.render({
    title: t('Signing secret'),
    scripts: ['copy.js'],
    content: html`<section class="notice" role="status"><p>${done} Copy the signing secret now and store it securely. You cannot see it again later.</p>
<p class="copyable"><code class="secret" id="secret">${secret}</code> ${copyButton('secret', t('Copy the signing secret'))}</p></section>
<section class="card" aria-labelledby="check"><h2 id="check">Verify messages</h2>
<p>Every message to <span class="address">${subscriptionUrl}</span> has the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code> of the <a href="https://www.standardwebhooks.com/">Standard Webhooks</a> specification. To verify a message, use this secret with a Standard Webhooks library.</p>
<div class="actions"><a class="button" href="${path}${id}/">Go to webhook</a></div></section>`,
  })
