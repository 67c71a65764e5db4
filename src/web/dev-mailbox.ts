import { problems } from '../domain/problem.ts'
import type { DevMailbox, StoredMail } from '../lib/dev-mailbox.ts'
import { type Html, html, linkedText } from '../lib/html.ts'
import { isFromThisMachine } from '../lib/network.ts'
import { htmlDocument } from './layout/document.ts'
import type { PageRequest, PageResult } from './page.ts'
import { signedIn } from './session.ts'

/** Maximum number of messages in the list, which shows the newest ones. */
const MAX_LISTED_MESSAGES = 200

const formatAddress = ({ name, address }: StoredMail['to']) => (name ? `${name} <${address}>` : address)

/** Formats a time as `2026-03-01 09:30 UTC`. */
const formatTime = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

const mailboxPage = (title: string, content: Html): PageResult => ({
  page: htmlDocument({
    language: 'en',
    direction: 'ltr',
    title,
    body: html`<header class="top"><h1>${title}</h1></header><main id="main" class="mailbox">${content}</main>`,
  }),
})

const row = (mail: StoredMail) => html`<li>
    <a href="/dev/outbox/${mail.id}/">${mail.subject}</a> <span>to ${formatAddress(mail.to)}</span> <time
        datetime="${mail.date}">${formatTime(mail.date)}</time>
  </li>`

/**
 * Shows a page of the development mailbox. Only developer accounts see it, and only if their request comes directly
 * from the machine on which the service runs. Other accounts get a 404, and so do requests from other machines or
 * through a proxy, because messages contain links that sign users in.
 */
async function forLocalDeveloper(
  request: PageRequest,
  page: (mailbox: DevMailbox) => Promise<PageResult>,
): Promise<PageResult> {
  const { devMailbox } = request.deps
  if (!devMailbox || !isFromThisMachine(request.ctx.req)) throw problems.messageNotFound()
  return signedIn('account', ({ context }) => {
    if (!context.actor.isDeveloper) throw problems.messageNotFound()
    return page(devMailbox)
  })(request)
}

export const showDevMailbox = (request: PageRequest): Promise<PageResult> =>
  forLocalDeveloper(request, async (mailbox) => {
    const messages = await mailbox.list(MAX_LISTED_MESSAGES)
    const intro = html`<p class="description">
      No mail server is configured (SMTP_URL). Messages are stored here and not sent. Only developer accounts can open
      this page, and only on the machine that runs the server.
    </p>`
    const list = messages.length
      ? html`<ul class="card message-list">${messages.map(row)}</ul>`
      : html`<p class="card">No messages yet.</p>`
    return mailboxPage('Development mailbox', html`${intro}${list}`)
  })

export const showDevMessage = (request: PageRequest): Promise<PageResult> =>
  forLocalDeveloper(request, async (mailbox) => {
    const mail = await mailbox.read(request.params.id ?? '')
    if (!mail) throw problems.messageNotFound()
    return mailboxPage(
      mail.subject,
      html`
        <p><a href="/dev/outbox/">All messages</a></p>
        <dl class="card">
          <div><dt>From</dt><dd>${formatAddress(mail.from)}</dd></div>
          <div><dt>To</dt><dd>${formatAddress(mail.to)}</dd></div>
          <div><dt>Date</dt><dd><time datetime="${mail.date}">${formatTime(mail.date)}</time></dd></div>
        </dl>
        <article class="card">${linkedText(mail.text)}</article>
        <p>
          <a href="/dev/outbox/${mail.id}/message.eml">Download message</a>
          ${mail.html !== null && html` (includes an HTML version)`}
        </p>`,
    )
  })

export const downloadDevMessage = (request: PageRequest): Promise<PageResult> =>
  forLocalDeveloper(request, async (mailbox) => {
    const file = await mailbox.readMessage(request.params.id ?? '')
    if (!file) throw problems.messageNotFound()
    return { file, type: 'message/rfc822', name: 'message.eml' }
  })
