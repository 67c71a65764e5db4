import type Router from '@koa/router'
import { problems } from '../domain/problem.ts'
import type { DevMailbox, StoredMail } from '../lib/dev-mailbox.ts'
import { type Html, html } from '../lib/html.ts'
import { linkedText } from '../lib/linked-text.ts'
import { isDirectToLoopback } from '../lib/loopback.ts'
import { documentOf } from './layout/document.ts'
import { handlePage, type PageResult, type PageServices } from './page.ts'
import { type SignedInRequest, signedIn } from './session.ts'

/** Letters on the page, at most. */
const MOST = 200

const named = ({ name, address }: StoredMail['to']) => (name ? `${name} <${address}>` : address)

/** `2026-03-01 09:30` in UTC. */
const timeOf = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

const pageOf = (title: string, content: Html): PageResult => ({
  page: documentOf({
    language: 'en',
    direction: 'ltr',
    title,
    body: html`<header class="top"><h1>${title}</h1></header><main id="main" class="outbox">${content}</main>`,
  }),
})

const row = (kept: StoredMail) => html`<li><a href="/dev/outbox/${kept.id}/">${kept.subject}</a>
<span>to ${named(kept.to)}</span> <time datetime="${kept.date}">${timeOf(kept.date)}</time></li>
`

const list = (outbox: DevMailbox) => async (): Promise<PageResult> => {
  const letters = await outbox.list(MOST)
  const intro = html`<p class="description">No mail server is configured (SMTP_URL), so messages are kept here instead of being sent. Only developer accounts can open this page, and only on this machine.</p>`
  if (!letters.length) return pageOf('Outbox', html`${intro}<p class="card">Nothing has been sent yet.</p>`)
  return pageOf('Outbox', html`${intro}<ul class="card letters">${letters.map(row)}</ul>`)
}

const render =
  (outbox: DevMailbox) =>
  async ({ params }: SignedInRequest): Promise<PageResult> => {
    const kept = await outbox.read(params.id ?? '')
    if (!kept) throw problems.messageNotFound()
    return pageOf(
      kept.subject,
      html`<p><a href="/dev/outbox/">All messages</a></p>
<dl class="card"><div><dt>From</dt><dd>${named(kept.from)}</dd></div><div><dt>To</dt><dd>${named(kept.to)}</dd></div>
<div><dt>Date</dt><dd><time datetime="${kept.date}">${timeOf(kept.date)}</time></dd></div></dl>
<article class="card">${linkedText(kept.text)}</article>
<p><a href="/dev/outbox/${kept.id}/message.eml">The message as a file</a>${kept.html !== null && html`, with its HTML part`}</p>`,
    )
  }

const keep =
  (outbox: DevMailbox) =>
  async ({ params }: SignedInRequest): Promise<PageResult> => {
    const file = await outbox.readMessage(params.id ?? '')
    if (!file) throw problems.messageNotFound()
    return { file, type: 'message/rfc822', name: 'message.eml' }
  }

/** The same for every address when the caller may not see it: nothing is there. */
const missing = async (): Promise<PageResult> => {
  throw problems.messageNotFound()
}

/**
 * Shows what would have been sent to developer accounts that use the service on their own machine. A request that a proxy passed
 * on finds nothing here: messages hold links that open accounts.
 */
export function routeOutbox(router: Router, deps: PageServices): void {
  const { outbox } = deps
  if (!outbox) return
  const route = (path: string, operation: string, page: (request: SignedInRequest) => Promise<PageResult>) => {
    const shown = signedIn(deps, operation, 'account', (request) =>
      request.context.actor.isDeveloper ? page(request) : missing(),
    )
    const hidden = handlePage(deps, operation, missing)
    router.get(path, (ctx) => (isDirectToLoopback(ctx.headers) ? shown(ctx) : hidden(ctx)))
  }
  route('/dev/outbox/', 'listOutbox', list(outbox))
  route('/dev/outbox/:id/', 'showLetter', render(outbox))
  route('/dev/outbox/:id/message.eml', 'keepLetter', keep(outbox))
}
