import { type Html, html, type Part } from '../../../lib/html.ts'
import type { FormFields } from '../../forms/form-fields.ts'
import type { Translator } from '../../i18n/i18n.ts'
import { message } from '../../layout/message.ts'
import { pathFor } from '../address.ts'
import type { ResolvedRequest } from '../resolve-request.ts'

const linkButton = (address: string, text: Part): Html => html`<a class="button" href="${address}">${text}</a>`

/** Renders the page for a signed-in respondent who is not allowed to take the survey. */
export const deniedView = ({ texts, text }: Translator): Html => message(text(texts.deniedTitle), text(texts.denied))

/**
 * Renders the page after several failed sign-ins in a row. The respondent continues with a button, because automatic
 * redirects could repeat endlessly.
 */
export const signInView = ({ i18n: { texts, text }, address }: ResolvedRequest): Html =>
  message(text(texts.signInTitle), text(texts.signedOut), linkButton(address, text(texts.signIn)))

/**
 * Renders the page for a respondent whom the identity provider redirected back without a sign-in. The sign-in link
 * opens in the top window, because browsers may block the cookies of an embedded page.
 */
export const notSignedInView = ({ i18n: { texts, text }, address }: ResolvedRequest): Html =>
  message(
    text(texts.notSignedInTitle),
    text(texts.notSignedIn),
    html`<a class="button" href="${address}" target="_top">${text(texts.signIn)}</a>`,
  )

/** A failure of the identity provider, as respondents see it. */
export interface Failure {
  /** Whether a later attempt can succeed. */
  isTemporary: boolean
  /** The number that identifies the failure for the owner. */
  number: number
}

const failureText = ({ texts, text }: Translator, { isTemporary, number }: Failure): Part =>
  isTemporary ? text(texts.signInUnavailable) : text(texts.signInMisconfigured, { number })

/** Renders the page that is shown if the identity provider fails. */
export const failureView = (i18n: Translator, here: string, failure: Failure): Html =>
  message(
    i18n.text(i18n.texts.signInUnavailableTitle),
    failureText(i18n, failure),
    linkButton(here, i18n.text(i18n.texts.tryAgain)),
  )

/**
 * Renders the page that is shown if a submitted page cannot be accepted yet, because the respondent is signed out or
 * the identity provider fails. A form on the page contains the submitted answers, which are not stored yet.
 * @param failure undefined if the respondent is signed out
 */
export function resubmitView(
  { request, snapshot, i18n, address }: ResolvedRequest,
  key: Buffer,
  submitted: FormFields,
  failure: Failure | undefined,
): Html {
  const { texts, text } = i18n
  const fields = Object.entries(submitted).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
  const isSignedOut = failure === undefined
  return html`<section class="message" role="alert"><h2>${text(isSignedOut ? texts.signInTitle : texts.signInUnavailableTitle)}</h2><p>${isSignedOut ? text(texts.signedOut) : failureText(i18n, failure)}</p><p>${text(isSignedOut ? texts.answersNotSavedSignIn : texts.answersNotSaved)}</p>
<form class="options" method="post" action="${pathFor(snapshot, key) + request.ctx.search}">${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="actions">${isSignedOut && html`<a class="button" href="${address}" target="_blank" rel="noopener">${text(texts.signInNewWindow)}</a>`}<button${!isSignedOut && html` class="primary"`}>${text(texts.submitAgain)}</button></div></form></section>`
}
