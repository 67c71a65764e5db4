import { findResponseKey, markViewed } from '../../domain/invitation/visit.ts'
import { unavailabilityOf } from '../../domain/respondent/availability.ts'
import { isPasswordCookieValid } from '../../domain/respondent/password-cookie.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import type { PageResult } from '../page.ts'
import { pathFor, withQuery } from './address.ts'
import { passwordCookieName, type ResolvedRequest } from './resolve-request.ts'
import { checkSignIn } from './sign-in/check-sign-in.ts'
import { passwordView, unavailableView } from './view.ts'

/**
 * Decides whether a respondent can see or submit a page of a survey. The checks, in this order: the invitation, the
 * availability of the survey, its password, and the sign-in of custom authentication. A complete or terminated response
 * requires the sign-in only.
 * @param key the key of the response, which may not exist yet
 * @param form the fields of a submitted page
 * @returns the reply instead of the page; undefined if access is allowed
 */
export async function checkAccess(
  resolved: ResolvedRequest,
  key: Buffer,
  form?: FormFields,
): Promise<PageResult | undefined> {
  if (resolved.stored && resolved.stored.completed > 0) return checkSignIn(resolved, key, form)
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
 * @returns if the survey allows one response per invitation: a redirect to the response of the invitation, or the page
 * that says that the invitation was used anonymously; otherwise undefined
 */
async function checkInvitation(resolved: ResolvedRequest): Promise<PageResult | undefined> {
  const { request, snapshot, collector, invited, requestedLanguage, i18n, render } = resolved
  if (!invited) return undefined
  // The time of viewing could reveal which anonymous response belongs to the invitation.
  if (request.ctx.method === 'GET' && !collector.settings.anonymous) await markViewed(request.context, invited)
  if (!collector.settings.one_per_invite) return undefined
  if (invited.used)
    return {
      status: request.query.has('_denied') ? 403 : 200,
      page: render({ content: unavailableView(i18n, 'used', '', false) }),
    }
  const key = await findResponseKey(request.context, snapshot, invited)
  return key && { redirect: withQuery(pathFor(snapshot, key), { lang: requestedLanguage }) }
}

/** Returns whether {@link checkAccess} will refuse a submitted page, as far as this is known before its form is read. */
export async function isRefused(resolved: ResolvedRequest): Promise<boolean> {
  const { request, snapshot, collector, stored, invited, isTester } = resolved
  if (stored && stored.completed > 0) return true
  const cookie = request.ctx.cookies.get(passwordCookieName(snapshot)) ?? ''
  if (!isPasswordCookieValid(request.context.services, snapshot, collector, cookie)) return true
  const known = stored !== undefined || invited !== undefined
  return (await unavailabilityOf(request.context, snapshot, collector, { known, tests: isTester })) !== undefined
}

async function checkAvailability(resolved: ResolvedRequest, form?: FormFields): Promise<PageResult | undefined> {
  const { request, snapshot, collector, stored, invited, isTester, i18n, render, address } = resolved
  const isKnown = stored !== undefined || invited !== undefined
  const reason = await unavailabilityOf(request.context, snapshot, collector, { known: isKnown, tests: isTester })
  if (!reason) return undefined
  // Redirect a submission to the URL of the page, which shows this message. A request with `_go=look` is not redirected:
  // it only asks which questions are visible.
  if (reason === 'full' && form && formValue(form, '_go') !== 'look') return { redirect: address }
  const content = unavailableView(i18n, reason, collector.settings.closed_message, request.query.has('code'))
  return { status: statusOf(resolved), page: render({ content }) }
}

function checkPassword(resolved: ResolvedRequest, form?: FormFields): PageResult | undefined {
  const { request, snapshot, collector, i18n, render, address } = resolved
  const cookie = request.ctx.cookies.get(passwordCookieName(snapshot)) ?? ''
  const denied = form ? null : request.query.get('_denied')
  if (!isPasswordCookieValid(request.context.services, snapshot, collector, cookie))
    return denied
      ? passwordDenied(resolved, denied)
      : { status: statusOf(resolved), page: render({ content: passwordView(i18n, address) }) }
  return denied === 'used'
    ? { status: 403, page: render({ content: unavailableView(i18n, 'used', '', false) }) }
    : undefined
}

/** Returns the password page after a wrong password, or after too many wrong passwords. */
function passwordDenied({ request: { ctx }, i18n, address, render }: ResolvedRequest, reason: string): PageResult {
  const isThrottled = /^[1-9]\d{0,2}$/.test(reason)
  if (isThrottled) ctx.set('Retry-After', String(Number(reason) * 60))
  const { passwordWait, passwordWrong } = i18n.texts
  const error = isThrottled ? i18n.text(passwordWait, { n: Number(reason) }) : i18n.text(passwordWrong)
  return { status: isThrottled ? 429 : 403, page: render({ content: passwordView(i18n, address, error) }) }
}

const statusOf = ({ request }: ResolvedRequest): number => (request.ctx.method === 'POST' ? 403 : 200)
