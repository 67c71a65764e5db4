import type { Webhook } from '../../../domain/webhook/webhook.ts'
import { html } from '../../../lib/html.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import type { WebhookScope } from './scope.ts'

/** The one time that the secret of a webhook is shown. */
export const secretPage = (
  request: SignedInRequest,
  { path }: WebhookScope,
  { id, subscriptionUrl }: Webhook,
  secret: string,
  done: string,
): PageResult =>
  request.render({
    title: 'Signing secret',
    scripts: ['copy.js'],
    content: html`<section class="notice" role="status"><p>${done} Here is its secret. It is shown only now, so give it to your program and keep it somewhere safe.</p>
<p><code class="secret" id="secret">${secret}</code></p><button type="button" class="small" data-copy="secret" hidden>Copy</button></section>
<section class="card" aria-labelledby="check"><h2 id="check">How your program checks a message</h2>
<p>Every message to <span class="address">${subscriptionUrl}</span> carries the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>, as <a href="https://www.standardwebhooks.com/">Standard Webhooks</a> says. There are libraries for most languages that check them with this secret.</p>
<div class="actions"><a class="button" href="${path}${id}/">Go to the webhook</a></div></section>`,
  })
