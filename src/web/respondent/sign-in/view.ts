import { type Html, html, type Part } from '../../../lib/html.ts'
import type { FormFields } from '../../forms/form-fields.ts'
import type { Voice } from '../../i18n/i18n.ts'
import { message } from '../../layout/message.ts'
import { pathFor } from '../address.ts'
import type { ResolvedRequest } from '../resolve-request.ts'

const way = (address: string, text: Part): Html => html`<a class="button" href="${address}">${text}</a>`

/** Signed in, but not somebody who may take this survey. */
export const deniedView = ({ words, tell: flash }: Voice): Html =>
  message(flash(words.deniedTitle), flash(words.denied))

/** Their sign-in ended, again and again: going round by itself would never end. */
export const signInView = ({ voice: { words, tell: flash }, here }: ResolvedRequest): Html =>
  message(flash(words.signInTitle), flash(words.signedOut), way(here, flash(words.signIn)))

/** Somebody who came back without being signed in. In a frame of somebody else's page our cookies may not come along: the way out leads to a window. */
export const notSignedInView = ({ voice: { words, tell: flash }, here }: ResolvedRequest): Html =>
  message(
    flash(words.notSignedInTitle),
    flash(words.notSignedIn),
    html`<a class="button" href="${here}" target="_top">${flash(words.signIn)}</a>`,
  )

/** The owner's identity system says neither yes nor no. */
export const unreachableView = ({ words, tell: flash }: Voice, here: string): Html =>
  message(flash(words.unreachableTitle), flash(words.unreachable), way(here, flash(words.tryAgain)))

/** The same where answers were sent: they are all in this form, and nothing else is. */
export function sendAgainView(
  { visit: request, snapshot, voice, here }: ResolvedRequest,
  key: Buffer,
  sent: FormFields,
  why: 'signed out' | 'unreachable',
): Html {
  const { words, tell: flash } = voice
  const fields = Object.entries(sent).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
  const out = why === 'signed out'
  return html`<section class="message" role="alert"><h2>${flash(out ? words.signInTitle : words.unreachableTitle)}</h2><p>${flash(out ? words.signedOut : words.unreachable)}</p><p>${flash(out ? words.keptSignIn : words.kept)}</p>
<form class="ways" method="post" action="${pathFor(snapshot, key) + request.ctx.search}">${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="actions">${out && html`<a class="button" href="${here}" target="_blank" rel="noopener">${flash(words.signInNew)}</a>`}<button${!out && html` class="primary"`}>${flash(words.sendAgain)}</button></div></form></section>`
}
