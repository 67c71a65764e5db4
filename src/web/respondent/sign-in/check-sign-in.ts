import { authorizeRespondent, isSignedIn } from '../../../domain/identity/authorize-respondent.ts'
import { recordProviderFailure } from '../../../domain/identity/failure.ts'
import { IdentityError, type IdentityProvider, identityProviderOf } from '../../../domain/identity/identity-provider.ts'
import { startSignIn } from '../../../domain/identity/sign-in.ts'
import { findResponseKey } from '../../../domain/invitation/visit.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Log } from '../../../lib/log.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import type { Translator } from '../../i18n/i18n.ts'
import { message } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { pathFor } from '../address.ts'
import type { ResolvedRequest } from '../resolve-request.ts'
import { respondentToken, storePending } from './cookie.ts'

/**
 * Maximum number of automatic sign-ins in a row that did not give access. Respondents start any further sign-in with a
 * button.
 */
const MAX_AUTOMATIC_SIGN_INS = 3

/**
 * Checks that the respondent is signed in at the owner's identity provider. For each request, asks the provider whether
 * the respondent may take the survey. If the respondent submits a page while signed out, or while the provider does not
 * reply, returns a page with a form that contains the submitted answers. The respondent can submit this form again
 * later.
 * @param key the key of the response, which may not exist yet
 * @param submitted the fields of the submitted page
 */
export async function checkSignIn(
  resolved: ResolvedRequest,
  key: Buffer,
  submitted?: FormFields,
): Promise<PageResult | undefined> {
  const { request, snapshot: survey, collector, render, i18n } = resolved
  if (!collector.settings.custom_authentication.enabled) return undefined
  const { texts } = i18n
  try {
    const provider = identityProviderOf(request.context, survey, collector)!
    const token = respondentToken(request, collector.id)
    // Requests that only determine which questions are visible are not checked with the provider, because they are
    // frequent and neither show nor store an answer.
    if (
      submitted &&
      formValue(submitted, '_go') === 'look' &&
      (await isSignedIn(request.context, provider, token, collector.id))
    )
      return undefined
    const access = { survey, collector, key: (await invitedKey(resolved)) ?? key }
    const decision = await authorizeRespondent(request.context, provider, token, access)
    if (decision === 'allowed') return undefined
    if (decision === 'denied')
      return { status: 403, page: render({ prefix: texts.deniedTitle, content: deniedView(i18n) }) }
    if (submitted)
      return {
        status: 403,
        page: render({ prefix: texts.signInTitle, content: resubmitView(resolved, key, submitted, undefined) }),
      }
    if (decision.signIn > MAX_AUTOMATIC_SIGN_INS) {
      await reportFailure(resolved, new IdentityError('callback', 'the access token of a new sign-in is not accepted'))
      return { status: 403, page: render({ prefix: texts.signInTitle, content: signInView(resolved) }) }
    }
    return await redirectToSignIn(resolved, provider, decision.signIn)
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error
    return failurePage(resolved, error, submitted && { key, submitted })
  }
}

/**
 * Reports a failure of the identity provider to the owner and the operator, and returns the page for the respondent.
 * @param unsaved the submitted page, whose answers are not stored yet
 */
export async function failurePage(
  resolved: ResolvedRequest,
  error: IdentityError,
  unsaved?: { key: Buffer; submitted: FormFields },
): Promise<PageResult> {
  const { render, i18n, address } = resolved
  const failure = { isTemporary: error.isTemporary, number: await reportFailure(resolved, error) }
  const content = unsaved
    ? resubmitView(resolved, unsaved.key, unsaved.submitted, failure)
    : failureView(i18n, address, failure)
  return { status: 503, page: render({ prefix: i18n.texts.signInUnavailableTitle, content }) }
}

/**
 * Reports a failure of the identity provider to the owner and the operator.
 * @returns the number that the respondent can quote
 */
export async function reportFailure(
  { request: { ctx, context }, snapshot, collector }: ResolvedRequest,
  error: IdentityError,
): Promise<number> {
  const { anonymous, custom_authentication } = collector.settings
  const { step, status, code, description, message: reason } = error
  const number = await recordProviderFailure(context, snapshot, error, anonymous)
  const log = ctx.state.log as Log | undefined
  log?.warn(
    {
      ...{ id: ctx.state.requestId, survey: snapshot.id, collector: collector.id, number },
      ...{ endpoint: custom_authentication.endpoint_uri, step, status, code, reason },
      ...(!anonymous && { description }),
    },
    'identity provider failed',
  )
  return number
}

/**
 * Returns the key of the response to an invitation that allows only one response. This key takes precedence over the
 * key in the form. Returns undefined if the URL names a stored response, if there is no such invitation, or if the
 * invitation has no response yet.
 */
async function invitedKey({
  request,
  snapshot,
  collector,
  stored,
  invited,
}: ResolvedRequest): Promise<Buffer | undefined> {
  if (stored || !invited || !collector.settings.one_per_invite) return undefined
  return findResponseKey(request.context, snapshot, invited)
}

async function redirectToSignIn(
  resolved: ResolvedRequest,
  provider: IdentityProvider,
  attempt: number,
): Promise<PageResult> {
  const { request, collector, stored } = resolved
  const { address, state, verifier } = await startSignIn(provider)
  storePending(request, new URL(provider.redirectUri).pathname, {
    state,
    verifier,
    collectorId: collector.id,
    key: stored?.key.toString('hex'),
    search: request.ctx.search,
    attempt,
    at: request.context.now.getTime(),
  })
  return { redirect: address }
}

const linkButton = (address: string, text: Part): Html => html`<a class="button" href="${address}">${text}</a>`

/** Renders the page for a signed-in respondent who is not allowed to take the survey. */
const deniedView = ({ texts, text }: Translator): Html => message(text(texts.deniedTitle), text(texts.denied))

/**
 * Renders the page after several failed sign-ins in a row. The respondent continues with a button, because automatic
 * redirects could repeat endlessly.
 */
const signInView = ({ i18n: { texts, text }, address }: ResolvedRequest): Html =>
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
interface Failure {
  /** Whether a later attempt can succeed. */
  isTemporary: boolean
  /** The number that identifies the failure for the owner. */
  number: number
}

const failureText = ({ texts, text }: Translator, { isTemporary, number }: Failure): Part =>
  isTemporary ? text(texts.signInUnavailable) : text(texts.signInMisconfigured, { number })

/** Renders the page that is shown if the identity provider fails. */
const failureView = (i18n: Translator, here: string, failure: Failure): Html =>
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
function resubmitView(
  { request, snapshot, i18n, address }: ResolvedRequest,
  key: Buffer,
  submitted: FormFields,
  failure: Failure | undefined,
): Html {
  const { texts, text } = i18n
  const fields = Object.entries(submitted).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
  const isSignedOut = failure === undefined
  return html`<section class="message" role="alert">
    <h2>${text(isSignedOut ? texts.signInTitle : texts.signInUnavailableTitle)}</h2>
    <p>${isSignedOut ? text(texts.signedOut) : failureText(i18n, failure)}</p>
    <p>${text(isSignedOut ? texts.answersNotSavedSignIn : texts.answersNotSaved)}</p>
    <form class="options" method="post" action="${pathFor(snapshot, key) + request.ctx.search}">
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <div class="actions">
        ${
          isSignedOut &&
          html`<a class="button" href="${address}" target="_blank" rel="noopener">${text(texts.signInNewWindow)}</a>`
        }
        <button${!isSignedOut && html` class="primary"`}>${text(texts.submitAgain)}</button>
      </div>
    </form>
  </section>`
}
