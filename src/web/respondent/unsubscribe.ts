import { unsubscribe, unsubscriber } from '../../domain/email/unsubscribe.ts'
import { directionOf, textsFor } from '../../domain/text/catalog.ts'
import type { Texts } from '../../domain/text/texts.ts'
import { type Html, html } from '../../lib/html.ts'
import { requestedLanguage } from '../i18n/i18n.ts'
import { htmlDocument } from '../layout/document.ts'
import { message } from '../layout/parts.ts'
import type { PageRequest, PageResult } from '../page.ts'

/**
 * Renders a page in the language that the link specifies. It is the language of the email that contains the link. If
 * the link specifies no language, uses a language that the browser prefers.
 */
function pageOf({ ctx }: PageRequest, contentIn: (texts: Texts) => Html): PageResult {
  const language = requestedLanguage(ctx)
  const { texts } = textsFor(language)
  const title = texts.unsubscribeTitle
  const body = html`<main id="main"><h1 class="hidden">${title}</h1>${contentIn(texts)}</main>`
  return { page: htmlDocument({ language, direction: directionOf(language), title, body }) }
}

/** Shows the confirmation page. Opening the link changes nothing, because email scanners open links too. */
export async function showUnsubscribe(request: PageRequest): Promise<PageResult> {
  unsubscriber(request.context.services, request.params.token ?? '')
  return pageOf(
    request,
    (texts) => html`<section class="message">
      <h2>${texts.unsubscribeTitle}</h2>
      <p>${texts.unsubscribeQuestion}</p>
      <form class="single-action" method="post">
        <div class="actions"><button class="primary">${texts.unsubscribe}</button></div>
      </form>
    </section>`,
  )
}

/**
 * Unsubscribes a contact. Handles the button of the page, and the unsubscribe button of mail programs (one-click, RFC
 * 8058).
 */
export async function unsubscribePage(request: PageRequest): Promise<PageResult> {
  await unsubscribe(request.context, unsubscriber(request.context.services, request.params.token ?? ''))
  return pageOf(request, (texts) => message(texts.unsubscribedTitle, texts.unsubscribeText))
}
