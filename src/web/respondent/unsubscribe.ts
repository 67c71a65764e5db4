import { unsubscribe, unsubscriber } from '../../domain/email/unsubscribe.ts'
import { type Html, html } from '../../lib/html.ts'
import { languages, textsFor, type Words } from '../i18n/locales.ts'
import { htmlDocument } from '../layout/document.ts'
import { message } from '../layout/message.ts'
import type { PageRequest, PageResult } from '../page.ts'

/** Renders a page in the language of the link, which is that of the message; without one, in the language of the browser. */
function pageOf({ ctx, query }: PageRequest, contentIn: (words: Words) => Html): PageResult {
  const named = query.get('lang') ?? ''
  const language = Object.hasOwn(languages, named) ? named : ctx.acceptsLanguages(Object.keys(languages)) || 'en'
  const { words } = textsFor(language)
  const title = words.leaveTitle
  const body = html`<main id="main"><h1 class="hidden">${title}</h1>${contentIn(words)}</main>`
  return { page: htmlDocument({ language, direction: 'ltr', title, body }) }
}

/** Shows the confirmation page. Mail scanners open links too, so a GET request changes nothing. */
export async function showUnsubscribe(request: PageRequest): Promise<PageResult> {
  unsubscriber(request.context.services, request.params.token ?? '')
  return pageOf(
    request,
    (words) => html`<section class="message"><h2>${words.leaveTitle}</h2><p>${words.leaveText}</p>
<form class="lone" method="post"><div class="actions"><button class="primary">${words.leave}</button></div></form></section>`,
  )
}

/** Unsubscribes: by the button of the page, or with one click in a mail program (RFC 8058). */
export async function unsubscribePage(request: PageRequest): Promise<PageResult> {
  await unsubscribe(request.context, unsubscriber(request.context.services, request.params.token ?? ''))
  return pageOf(request, (words) => message(words.leaveTitle, words.left))
}
