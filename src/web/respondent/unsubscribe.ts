import type Router from '@koa/router'
import { unsubscribe, unsubscriber } from '../../domain/email/unsubscribe.ts'
import { type Html, html } from '../../lib/html.ts'
import { documentOf } from '../layout/document.ts'
import { message } from '../layout/message.ts'
import { languages, type Words, wordsFor } from '../i18n/locales.ts'
import { type Answer, type PageDeps, serve, type Visit } from '../page.ts'

/** The link names the language of the message that it stood in; without a name the browser is asked. */
function pageOf({ ctx, query }: Visit, contentIn: (words: Words) => Html): Answer {
  const named = query.get('lang') ?? ''
  const language = Object.hasOwn(languages, named) ? named : ctx.acceptsLanguages(Object.keys(languages)) || 'en'
  const { words } = wordsFor(language)
  const title = words.leaveTitle
  const body = html`<main id="main"><h1 class="hidden">${title}</h1>${contentIn(words)}</main>`
  return { page: documentOf({ language, direction: 'ltr', title, body }) }
}

/** A link is opened by scanners of mail too, so opening it only asks. */
async function ask(visit: Visit): Promise<Answer> {
  unsubscriber(visit.context.site, visit.params.token ?? '')
  return pageOf(
    visit,
    (words) => html`<section class="message"><h2>${words.leaveTitle}</h2><p>${words.leaveText}</p>
<form class="lone" method="post"><div class="actions"><button class="primary">${words.leave}</button></div></form></section>`,
  )
}

/** By the button of the page, or by one click in a mail program (RFC 8058). */
async function leave(visit: Visit): Promise<Answer> {
  await unsubscribe(visit.context, unsubscriber(visit.context.site, visit.params.token ?? ''))
  return pageOf(visit, (words) => message(words.leaveTitle, words.left))
}

/** Where recipients say that they want no more mail. */
export function routeUnsubscribe(router: Router, deps: PageDeps): void {
  router.get('/unsubscribe/:token/', serve(deps, 'askUnsubscribe', ask))
  router.post('/unsubscribe/:token/', serve(deps, 'unsubscribe', leave))
}
