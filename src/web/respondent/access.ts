import { findResponseKey, markViewed } from '../../domain/invitation/visit.ts'
import { isInvited, type Unavailability, unavailabilityOf } from '../../domain/respondent/availability.ts'
import { isPasswordCookieValid } from '../../domain/respondent/password-cookie.ts'
import { html } from '../../lib/html.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import type { PageResult } from '../page.ts'
import { isPrefetch } from '../prefetch.ts'
import { pathFor, withQuery } from './address.ts'
import { redirectLate } from './panel.ts'
import { hasEnded, passwordCookieName, type ResolvedRequest } from './resolve-request.ts'
import { checkSignIn } from './sign-in/check-sign-in.ts'
import { passwordView, unavailableView } from './view.ts'

/**
 * Decides whether a respondent can see or submit a page of a survey. Checks, in this order, the invitation, whether the
 * survey is available, its password, and the sign-in of custom authentication. For a complete or terminated response,
 * checks only the sign-in.
 * @param key the key of the response, which may not exist yet
 * @param form the fields of a submitted page
 * @returns the reply to send instead of the page; undefined if access is allowed
 */
export async function checkAccess(
  resolved: ResolvedRequest,
  key: Buffer,
  form?: FormFields,
): Promise<PageResult | undefined> {
  if (hasEnded(resolved)) return checkSignIn(resolved, key, form)
  const isFirstPage = !form && !resolved.key
  return (
    (isFirstPage ? await checkInvitation(resolved) : undefined) ??
    (await checkAvailability(resolved, form)) ??
    checkPassword(resolved, form) ??
    (await checkSignIn(resolved, key, form))
  )
}

/**
 * Marks an invitation as viewed.
 * @returns undefined if the survey allows several responses per invitation, or if the invitation has no response yet.
 *   Otherwise a redirect to the response of the invitation, or the page that says that the invitation was used while
 *   the survey was anonymous.
 */
async function checkInvitation(resolved: ResolvedRequest): Promise<PageResult | undefined> {
  const { request, snapshot, collector, invited, requestedLanguage, i18n, render } = resolved
  if (!invited) return undefined
  // For an anonymous survey, neither the view is stored, nor does the page show whether the invitation is used. Both
  // could reveal which response belongs to the invitation.
  if (collector.settings.anonymous) return undefined
  if (request.ctx.method === 'GET' && !isPrefetch(request)) await markViewed(request.context, invited)
  if (!collector.settings.one_per_invite) return undefined
  if (invited.used) return { status: 200, page: render({ content: unavailableView(i18n, 'used', '', false) }) }
  const key = await findResponseKey(request.context, snapshot, invited)
  return key && { redirect: withQuery(pathFor(snapshot, key), { lang: requestedLanguage }) }
}

/**
 * Returns whether a submitted page will not be stored, because the response is complete or terminated, or because
 * {@link checkAccess} will reject the page. Makes only the checks that are possible before the form is read.
 */
export async function isRefused(resolved: ResolvedRequest): Promise<boolean> {
  const { request, snapshot, collector, stored, invited, isTester } = resolved
  if (hasEnded(resolved)) return true
  const cookie = request.ctx.cookies.get(passwordCookieName(request.context.services, snapshot)) ?? ''
  if (!isPasswordCookieValid(request.context.services, snapshot, collector, cookie)) return true
  const known = isInvited(snapshot, collector, stored, invited)
  const reason = await unavailabilityOf(request.context, snapshot, collector, { known, tests: isTester })
  return reason !== undefined && !isClosedSince(resolved, reason)
}

/**
 * Returns whether a survey has closed while a response was open. A page that is being sent is still stored then, so
 * that nothing typed is lost.
 */
const isClosedSince = ({ stored }: ResolvedRequest, reason: Unavailability): boolean =>
  stored !== undefined && (reason === 'closed' || reason === 'ended' || reason === 'full')

async function checkAvailability(resolved: ResolvedRequest, form?: FormFields): Promise<PageResult | undefined> {
  const { request, snapshot, collector, stored, invited, isTester, i18n, render, address } = resolved
  const known = isInvited(snapshot, collector, stored, invited)
  const reason = await unavailabilityOf(request.context, snapshot, collector, { known, tests: isTester })
  if (!reason) return undefined
  const closedSince = isClosedSince(resolved, reason)
  if (closedSince && form) return undefined
  // If the survey is full, a submitted page is redirected to its own URL, which then shows that the survey is full. A
  // request with `_go=look` is not redirected, because it only asks which questions are visible.
  if (reason === 'full' && form && formValue(form, '_go') !== 'look') return { redirect: address }
  const isLate = reason === 'full' || reason === 'closed' || reason === 'ended'
  const toPanel = isLate && !form && redirectLate(resolved)
  if (toPanel) return toPanel
  const content = unavailableView(
    i18n,
    reason,
    collector.settings.closed_message,
    request.query.has('code'),
    closedSince,
  )
  return { status: statusOf(resolved), page: render({ content }) }
}

function checkPassword(resolved: ResolvedRequest, form?: FormFields): PageResult | undefined {
  const { request, snapshot, collector, i18n, render, address } = resolved
  const cookie = request.ctx.cookies.get(passwordCookieName(request.context.services, snapshot)) ?? ''
  const denied = form ? null : request.query.get('_denied')
  if (!isPasswordCookieValid(request.context.services, snapshot, collector, cookie))
    return denied
      ? passwordDenied(resolved, denied)
      : { status: statusOf(resolved), page: render({ content: passwordView(i18n, address) }) }
  return denied === 'cookies' ? { redirect: address } : undefined
}

/**
 * Returns the password page with the error after a wrong password or too many of them, or if the browser has not stored
 * the cookie.
 */
function passwordDenied({ request: { ctx }, i18n, address, render }: ResolvedRequest, reason: string): PageResult {
  if (reason === 'cookies') {
    const { cookiesBlocked, openNewWindow } = i18n.texts
    const link = html`<a href="${address}" target="_blank" rel="noopener">${i18n.text(openNewWindow)}</a>`
    const error = html`${i18n.text(cookiesBlocked)} ${link}`
    return { status: 403, page: render({ content: passwordView(i18n, address, error) }) }
  }
  const isThrottled = /^[1-9]\d{0,2}$/.test(reason)
  if (isThrottled) ctx.set('Retry-After', String(Number(reason) * 60))
  const { passwordWait, passwordWrong } = i18n.texts
  const error = isThrottled ? i18n.text(passwordWait, { n: Number(reason) }) : i18n.text(passwordWrong)
  return { status: isThrottled ? 429 : 403, page: render({ content: passwordView(i18n, address, error) }) }
}

const statusOf = ({ request }: ResolvedRequest): number => (request.ctx.method === 'POST' ? 403 : 200)
