import { findResponse } from '../../domain/respondent/submit-page.ts'
import { type Html, html } from '../../lib/html.ts'
import { nameOf, setEmbeddedCookie } from '../cookie.ts'
import { message } from '../layout/message.ts'
import type { PageRequest } from '../page.ts'
import { parseResponseKey, pathFor, withQuery } from './address.ts'
import { hasEnded, type ResolvedRequest } from './resolve-request.ts'

/** The form field that starts a survey again in a browser that has started it. */
export const START_AGAIN = '_start_again'

/** The cookie that names the responses which the browser has started: `<survey>.<key>`, separated by `~`. */
const COOKIE = 'responses'
/** The browser sends the cookie with every request, so it names only the latest responses. */
const MAX_RESPONSES = 5
const LIFETIME_MS = 30 * 86_400_000

/**
 * Returns whether the browser offers to continue a response. A survey on a shared device does not, nor does an
 * anonymous survey that knows who opens it: the cookie would show which response is whose.
 */
const remembers = ({ collector: { settings }, invited }: ResolvedRequest): boolean =>
  !settings.kiosk && !invited && !(settings.anonymous && settings.custom_authentication.enabled)

function readCookie({ ctx, context }: PageRequest): [survey: string, key: string][] {
  const value = ctx.cookies.get(nameOf(context.services, COOKIE)) ?? ''
  return value.split('~').flatMap((entry): [string, string][] => {
    const [survey = '', key] = entry.split('.')
    return /^\d{1,15}$/.test(survey) && parseResponseKey(key) ? [[survey, key!]] : []
  })
}

function writeCookie({ ctx, context }: PageRequest, entries: readonly (readonly [string, string])[]): void {
  const value = entries.map((entry) => entry.join('.')).join('~')
  setEmbeddedCookie(
    ctx,
    context.services,
    nameOf(context.services, COOKIE),
    value || null,
    value ? LIFETIME_MS : undefined,
  )
}

/** Lets the browser offer to continue a response. */
export function rememberResponse(resolved: ResolvedRequest, key: Buffer): void {
  const { request, snapshot } = resolved
  const [survey, hex] = [String(snapshot.id), key.toString('hex')]
  const entries = readCookie(request)
  if (!remembers(resolved) || entries.some((entry) => entry[0] === survey && entry[1] === hex)) return
  const others = entries.filter(([other]) => other !== survey)
  writeCookie(request, [[survey, hex] as const, ...others].slice(0, MAX_RESPONSES))
}

/** Ends the offer to continue the response of a survey. */
export function forgetResponse({ request, snapshot }: Pick<ResolvedRequest, 'request' | 'snapshot'>): void {
  const entries = readCookie(request)
  const others = entries.filter(([survey]) => survey !== String(snapshot.id))
  if (others.length < entries.length) writeCookie(request, others)
}

/**
 * Returns the page that offers to continue the response that the browser has started, or to start again; undefined if
 * there is no incomplete response.
 */
export async function startedView(resolved: ResolvedRequest): Promise<Html | undefined> {
  const { request, snapshot, collector, i18n, address, requestedLanguage } = resolved
  const [, hex] = readCookie(request).find(([survey]) => survey === String(snapshot.id)) ?? []
  const key = parseResponseKey(hex)
  if (!key || !remembers(resolved)) return undefined
  const stored = await findResponse(request.context, snapshot, key)
  if (stored?.collectorId !== collector.id || hasEnded({ snapshot, stored })) return undefined
  const { texts } = i18n
  const path = withQuery(pathFor(snapshot, key), { lang: requestedLanguage })
  return html`${message(
    i18n.text(texts.resumeTitle),
    i18n.text(texts.resumeText),
    html`<a class="button primary" href="${path}">${i18n.text(texts.resumeContinue)}</a>`,
  )}<form method="post" action="${address}" class="again"><button class="quiet" name="${START_AGAIN}" value="1">${i18n.text(texts.startAgain)}</button></form>`
}
