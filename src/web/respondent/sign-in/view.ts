import { type Html, html, type Part } from '../../../lib/html.ts'
import type { FormFields } from '../../forms/form-fields.ts'
import type { Translator } from '../../i18n/i18n.ts'
import { message } from '../../layout/message.ts'
import { pathFor } from '../address.ts'
import type { ResolvedRequest } from '../resolve-request.ts'

const way = (address: string, text: Part): Html => html`<a class="button" href="${address}">${text}</a>`

/** Signed in, but not somebody who may take this survey. */
export const deniedView = ({ texts, text }: Translator): Html => message(text(texts.deniedTitle), text(texts.denied))

/** Their sign-in ended, again and again: going round by itself would never end. */
export const signInView = ({ i18n: { texts, text }, address }: ResolvedRequest): Html =>
  message(text(texts.signInTitle), text(texts.signedOut), way(address, text(texts.signIn)))

/** Somebody who came back without being signed in. In a frame of somebody else's page our cookies may not come along: the way out leads to a window. */
export const notSignedInView = ({ i18n: { texts, text }, address }: ResolvedRequest): Html =>
  message(
    text(texts.notSignedInTitle),
    text(texts.notSignedIn),
    html`<a class="button" href="${address}" target="_top">${text(texts.signIn)}</a>`,
  )

/** The owner's identity system says neither yes nor no. */
export const unreachableView = ({ texts, text }: Translator, here: string): Html =>
  message(text(texts.unreachableTitle), text(texts.unreachable), way(here, text(texts.tryAgain)))

/** The same where answers were sent: they are all in this form, and nothing else is. */
export function sendAgainView(
  { request, snapshot, i18n, address }: ResolvedRequest,
  key: Buffer,
  sent: FormFields,
  why: 'signed out' | 'unreachable',
): Html {
  const { texts, text } = i18n
  const fields = Object.entries(sent).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
  const out = why === 'signed out'
  return html`<section class="message" role="alert"><h2>${text(out ? texts.signInTitle : texts.unreachableTitle)}</h2><p>${text(out ? texts.signedOut : texts.unreachable)}</p><p>${text(out ? texts.keptSignIn : texts.kept)}</p>
<form class="ways" method="post" action="${pathFor(snapshot, key) + request.ctx.search}">${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="actions">${out && html`<a class="button" href="${address}" target="_blank" rel="noopener">${text(texts.signInNew)}</a>`}<button${!out && html` class="primary"`}>${text(texts.sendAgain)}</button></div></form></section>`
}
