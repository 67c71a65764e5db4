import { type Html, html, type Part } from '../../../lib/html.ts'
import { message } from '../../layout/message.ts'
import { pathFor } from '../address.ts'
import type { Arrived } from '../resolve-request.ts'
import type { Pairs } from '../input.ts'
import type { Voice } from '../../i18n/i18n.ts'

const way = (address: string, text: Part): Html => html`<a class="button" href="${address}">${text}</a>`

/** Signed in, but not somebody who may take this survey. */
export const deniedView = ({ words, tell }: Voice): Html => message(tell(words.deniedTitle), tell(words.denied))

/** Their sign-in ended, again and again: going round by itself would never end. */
export const signInView = ({ voice: { words, tell }, here }: Arrived): Html =>
  message(tell(words.signInTitle), tell(words.signedOut), way(here, tell(words.signIn)))

/** Somebody who came back without being signed in. In a frame of somebody else's page our cookies may not come along: the way out leads to a window. */
export const notSignedInView = ({ voice: { words, tell }, here }: Arrived): Html =>
  message(
    tell(words.notSignedInTitle),
    tell(words.notSignedIn),
    html`<a class="button" href="${here}" target="_top">${tell(words.signIn)}</a>`,
  )

/** The owner's identity system says neither yes nor no. */
export const unreachableView = ({ words, tell }: Voice, here: string): Html =>
  message(tell(words.unreachableTitle), tell(words.unreachable), way(here, tell(words.tryAgain)))

/** The same where answers were sent: they are all in this form, and nothing else is. */
export function sendAgainView(
  { visit, snapshot, voice, here }: Arrived,
  key: Buffer,
  sent: Pairs,
  why: 'signed out' | 'unreachable',
): Html {
  const { words, tell } = voice
  const fields = Object.entries(sent).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
  const out = why === 'signed out'
  return html`<section class="message" role="alert"><h2>${tell(out ? words.signInTitle : words.unreachableTitle)}</h2><p>${tell(out ? words.signedOut : words.unreachable)}</p><p>${tell(out ? words.keptSignIn : words.kept)}</p>
<form class="ways" method="post" action="${pathFor(snapshot, key) + visit.ctx.search}">${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="actions">${out && html`<a class="button" href="${here}" target="_blank" rel="noopener">${tell(words.signInNew)}</a>`}<button${!out && html` class="primary"`}>${tell(words.sendAgain)}</button></div></form></section>`
}
