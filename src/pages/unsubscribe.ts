import type Router from '@koa/router'
import { unsubscribe, unsubscriber } from '../domain/email/unsubscribe.ts'
import { html, type Part } from '../lib/html.ts'
import { documentOf } from './layout.ts'
import { message } from './message.ts'
import { languages, wordsFor } from './taking/words/index.ts'
import { type Answer, type PageDeps, serve, type Visit } from './visit.ts'

/** The page has no survey whose language it could speak: it asks the browser. */
function pageOf({ ctx }: Visit, word: 'leave' | 'left', action: Part): Answer {
  const language = ctx.acceptsLanguages(Object.keys(languages)) || 'en'
  const { words } = wordsFor(language)
  const title = words.leaveTitle
  const content = word === 'leave' ? message(title, words.leaveText, action) : message(title, words.left)
  const body = html`<main id="main"><h1 class="hidden">${title}</h1>${content}</main>`
  return { page: documentOf({ language, direction: 'ltr', title, body }) }
}

/** A link is opened by scanners of mail too, so opening it only asks. */
async function ask(visit: Visit): Promise<Answer> {
  unsubscriber(visit.context.site, visit.params.token ?? '')
  const { words } = wordsFor(visit.ctx.acceptsLanguages(Object.keys(languages)) || 'en')
  return pageOf(
    visit,
    'leave',
    html`<form method="post"><div class="actions"><button class="primary">${words.leave}</button></div></form>`,
  )
}

/** By the button of the page, or by one click in a mail program (RFC 8058). */
async function leave(visit: Visit): Promise<Answer> {
  await unsubscribe(visit.context, unsubscriber(visit.context.site, visit.params.token ?? ''))
  return pageOf(visit, 'left', null)
}

/** Where recipients say that they want no more mail. */
export function routeUnsubscribe(router: Router, deps: PageDeps): void {
  router.get('/unsubscribe/:token/', serve(deps, 'askUnsubscribe', ask))
  router.post('/unsubscribe/:token/', serve(deps, 'unsubscribe', leave))
}
