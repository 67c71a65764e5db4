import { findSession } from '../../domain/account/session.ts'
import { can } from '../../domain/group/access.ts'
import { findInvitation, type Invitation } from '../../domain/invitation/visit.ts'
import { problems } from '../../domain/problem.ts'
import { closedReason, collectorOf, findDeployed } from '../../domain/respondent/availability.ts'
import { endOf } from '../../domain/respondent/path.ts'
import { findResponse } from '../../domain/respondent/submit-page.ts'
import type { ResponseRecord } from '../../domain/response/submit/save.ts'
import type { Services } from '../../domain/services.ts'
import { isAnonymousCollector } from '../../domain/survey/anonymity.ts'
import { MAX_RESPONDENT_ID_CHARACTERS } from '../../domain/survey/panel-return.ts'
import { accessIn } from '../../domain/survey/queries.ts'
import { findByShortCode } from '../../domain/survey/short-code.ts'
import { type CollectorSnapshot, getSnapshot, type SurveySnapshot } from '../../domain/survey/snapshot.ts'
import type { Html, Part } from '../../lib/html.ts'
import { nameOf, readCookie } from '../cookie.ts'
import { contentSecurityPolicy } from '../csp.ts'
import { languageFor, type Translator, translatorFor } from '../i18n/i18n.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { languagePaths, parseResponseKey, pathFor, withSearch } from './address.ts'
import { privacyPathFor } from './privacy-view.ts'
import { countSurveyRequest, secondsToWait } from './rate-limit.ts'
import { type PageFrame, surveyPage } from './view.ts'

/** A request to the URL of a survey or of a response, with the objects that the URL names. */
export interface ResolvedRequest {
  request: PageRequest
  snapshot: SurveySnapshot
  collector: CollectorSnapshot
  /** The key in the URL. */
  key: Buffer | undefined
  /** The response with the key in the URL. The response does not exist before the first page is submitted. */
  stored: ResponseRecord | undefined
  /** The invitation in the URL, or the invitation of the response. */
  invited: Invitation | undefined
  /** Whether the URL contains an invite code that does not exist in the survey. */
  hasUnknownCode: boolean
  /** Whether the survey is closed and the visitor may test it. */
  isTester: boolean
  i18n: Translator
  /** The language in the `lang` parameter of the URL, if the survey has this language. */
  requestedLanguage: string | undefined
  /** The respondent's ID at the panel of the collector, if the collector has a panel. */
  panelId: string | undefined
  /** The parameter with the ID at the panel; empty without one. */
  panelQuery: Readonly<Record<string, string>>
  /** The parameters that the addresses of the further pages of the response have. */
  kept: Readonly<Record<string, string | undefined>> & { code: string | undefined }
  /** The path and query of the response, or those of the survey as long as the response does not exist. */
  address: string
  render(parts: {
    first?: boolean
    completed?: boolean
    prefix?: string
    notice?: string | undefined
    content: Part
    head?: Part
  }): Html
}

/**
 * Finds the survey, the response and the invitation that a URL names.
 * @throws {Problem} `survey_not_found`, `response_not_found`, `too_many_requests`
 */
export async function resolveRequest(request: PageRequest): Promise<ResolvedRequest> {
  await countSurveyRequest(request)
  const { context, params, query, ctx } = request
  const snapshot = await findDeployed(context, params.username ?? '', params.slug ?? '')
  const key = parseResponseKey(params.key)
  const stored = key && (await findResponse(context, snapshot, key))
  if (params.key !== undefined && !key) throw problems.responseNotFound()
  const invited = await findInvitation(context, snapshot.id, inviteCodeOf(snapshot, stored, query))
  const collectorId = stored?.collectorId ?? invited?.collectorId ?? Number(query.get('collector') ?? undefined)
  const collector = collectorOf(snapshot, collectorId)
  ctx.set('Content-Security-Policy', policyOf(collector))
  const q = snapshot.questionnaire
  const requestedCode = query.get('lang') ?? undefined
  const language = languageFor(q, requestedCode, stored?.language, (codes) => ctx.acceptsLanguages(codes))
  const i18n = translatorFor(q, language, stored?.answers ?? {}, invited?.fields, snapshot.texts)
  const isTest = closedReason(context, snapshot, collector) !== undefined && (await isTester(request, snapshot))
  // After the first page was rejected, the URL contains the key of the response, although the response does not exist
  // yet.
  const path = pathFor(snapshot, stored?.key ?? (query.has('_draft') ? key : undefined))
  const requestedLanguage = requestedCode === language ? requestedCode : undefined
  const panelId = panelIdOf(collector, stored, query)
  const panelQuery = panelId === undefined ? {} : { [collector.panelReturn!.parameter]: panelId }
  const frame: PageFrame = {
    q,
    theme: snapshot.theme,
    i18n,
    notice: isTest ? i18n.texts.testNotice : undefined,
    approvedHash: snapshot.approvedHash,
    privacyPath: collector.settings.anonymous ? privacyPathFor(snapshot, collector, requestedLanguage) : undefined,
    pathInLanguage: languagePaths(path, query, q.languages.length),
  }
  return {
    request,
    snapshot,
    collector,
    key,
    stored,
    // A code of another collector must not be used up.
    invited: !collector.settings.anonymous || invited?.collectorId === collector.id ? invited : undefined,
    hasUnknownCode: !stored && !invited && Boolean(query.get('code')),
    isTester: isTest,
    i18n,
    requestedLanguage,
    panelId,
    panelQuery,
    kept: {
      ...panelQuery,
      lang: requestedLanguage,
      code: collector.settings.anonymous ? invited?.code : undefined,
    },
    address: query.has('_denied') ? withSearch(path, withoutDenied(query)) : path + ctx.search,
    render: ({ prefix = '', notice, ...parts }) =>
      surveyPage({ ...frame, notice: frame.notice ?? notice }, { ...parts, prefix }),
  }
}

/** Returns the invite code of a stored response. An anonymous response does not contain it; the address does. */
const inviteCodeOf = (snapshot: SurveySnapshot, stored: ResponseRecord | undefined, query: URLSearchParams) =>
  stored && !isAnonymousCollector(snapshot, stored.collectorId) ? stored.inviteCode : query.get('code')

/**
 * Returns the respondent's ID at the panel: the one with which the response was started, or else that of the address.
 * An anonymous response does not contain it, so that the addresses of all its pages have it. There is none on a shared
 * device, which must not leave the survey.
 */
function panelIdOf(
  { panelReturn, settings }: CollectorSnapshot,
  stored: ResponseRecord | undefined,
  query: URLSearchParams,
): string | undefined {
  if (!panelReturn || settings.kiosk) return undefined
  const id =
    new URLSearchParams(stored?.getVariables ?? '').get(panelReturn.parameter) || query.get(panelReturn.parameter)
  return id && id.length <= MAX_RESPONDENT_ID_CHARACTERS ? id : undefined
}

/** Returns whether the respondent has reached the end of the survey. The answers can then not be changed. */
export const hasEnded = ({ snapshot, stored }: Pick<ResolvedRequest, 'snapshot' | 'stored'>): boolean =>
  stored !== undefined && endOf(snapshot.questionnaire, stored) !== undefined

function withoutDenied(query: URLSearchParams): URLSearchParams {
  const remaining = new URLSearchParams(query)
  remaining.delete('_denied')
  return remaining
}

/** Returns the URL to which respondents are redirected after the last page, if the owner has set one. */
export function redirectOf({ settings: { redirect_url } }: CollectorSnapshot): string | undefined {
  return redirect_url && /^https?:\/\//i.test(redirect_url) && URL.canParse(redirect_url) ? redirect_url : undefined
}

/** The policies of the collectors of cached surveys. */
const policies = new WeakMap<CollectorSnapshot, string>()

/**
 * Returns the policy of a page. Browsers check each redirect after a submitted form against the directive `form-action`
 * (CSP3, section 6.4.1). A survey that redirects to another site at the end, or for a sign-in, therefore has to allow
 * that site. The pages of an anonymous survey load nothing from other sites, which could otherwise observe the
 * respondent.
 */
function policyOf(collector: CollectorSnapshot): string {
  const known = policies.get(collector)
  if (known !== undefined) return known
  const policy = contentSecurityPolicy({
    ...((redirectOf(collector) || collector.panelReturn || collector.settings.custom_authentication.enabled) && {
      'form-action': ["'self'", 'http:', 'https:'],
    }),
    ...(collector.settings.anonymous && { 'img-src': ["'self'", 'data:'] }),
  })
  policies.set(collector, policy)
  return policy
}

/** Returns the name of the cookie that states that the visitor has entered the password of a survey. */
export const passwordCookieName = (services: Services, snapshot: SurveySnapshot): string =>
  nameOf(services, `survey_${snapshot.id}`)

/** Returns whether the visitor may take a survey while it is closed. The owner and members with the Test role may. */
async function isTester({ ctx, context }: PageRequest, snapshot: SurveySnapshot): Promise<boolean> {
  const token = readCookie(ctx, context.services, 'session')
  const session = token ? await findSession(context, token) : undefined
  return session !== undefined && can(accessIn(snapshot, session.actor), 'Test')
}

/**
 * Redirects a short link to the survey. Keeps the query. If the survey is not open, the error page is the same as for a
 * code that no survey has.
 * @throws {Problem} `survey_not_found`; `too_many_requests` if the network has followed too many different links
 */
export async function followShortLink(request: PageRequest): Promise<PageResult> {
  const { context, params, query } = request
  const { code = '' } = params
  const { limits } = context.services
  const seconds = await secondsToWait(request, (network) => limits.countShortLink(network, code))
  if (seconds !== undefined) throw problems.tooManyRequests('Too many short links.', seconds)
  const id = await findByShortCode(context, code)
  const snapshot = id === undefined ? undefined : await getSnapshot(context.em, id)
  const isOpen =
    snapshot &&
    !snapshot.unpublished &&
    snapshot.questionnaire.fields.length > 0 &&
    [...snapshot.collectors.values()].some((collector) => !closedReason(context, snapshot, collector))
  if (!isOpen) throw problems.surveyNotFound()
  return { redirect: withSearch(pathFor(snapshot), query), temporary: true }
}
