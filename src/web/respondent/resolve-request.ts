import { findInvited, type Invited } from '../../domain/invitation/visit.ts'
import { problems } from '../../domain/problem.ts'
import { shutBy, unavailabilityOf } from '../../domain/respondent/availability.ts'
import { collectorOf, findDeployed } from '../../domain/respondent/deployed.ts'
import { isPassed } from '../../domain/respondent/password-cookie.ts'
import { findTaken } from '../../domain/respondent/submit-page.ts'
import type { Stored } from '../../domain/response/submit/save.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../../domain/survey/snapshot.ts'
import type { Html, Part } from '../../lib/html.ts'
import { setContentSecurityPolicy } from '../csp.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import { languageFor, type Voice, voiceOf } from '../i18n/i18n.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { keyIn, pathFor, searched, withQuery } from './address.ts'
import { signInObstacle } from './sign-in/gate.ts'
import { isTester } from './tester.ts'
import { passwordView, refusalView, type Surroundings, surveyPage } from './view.ts'

/** A respondent at a survey's address, or at that of their own response. */
export interface ResolvedRequest {
  visit: PageRequest
  snapshot: SurveySnapshot
  collector: CollectorSnapshot
  /** The key in the address. */
  key: Buffer | undefined
  /** The response at whose address they are; nothing yet when a first page is sent to it. */
  stored: Stored | undefined
  /** The invitation that their address names, or with which they came when they began. */
  invited: Invited | undefined
  /** Their address has an invite code that the survey does not know. */
  hasUnknownCode: boolean
  /** They try out a survey that is shut. */
  tests: boolean
  voice: Voice
  /** `lang` of the address, where it is one of the survey's. */
  asked: string | undefined
  /** Where this can be opened again: the response, or while there is none the survey, with the query as it stands. */
  here: string
  show(parts: { first?: boolean; prefix?: string; notice?: string | undefined; content: Part }): Html
}

/** Finds the survey that an address names, and the response if there is one. @throws {Problem} where no survey is */
export async function resolveRequest(request: PageRequest): Promise<ResolvedRequest> {
  const { context, params, query, ctx } = request
  const snapshot = await findDeployed(context, params.username ?? '', params.slug ?? '')
  const key = keyIn(params.key)
  const stored = key && (await findTaken(context, snapshot, key))
  if (params.key !== undefined && !key) throw problems.responseNotFound()
  const invited = await findInvited(context, snapshot.id, stored ? stored.inviteCode : query.get('code'))
  const channel = stored?.collectorId ?? invited?.collectorId ?? Number(query.get('collector') ?? undefined)
  const collector = collectorOf(snapshot, channel)
  if (redirectOf(collector) || collector.settings.custom_authentication.enabled) allowRedirect(request)
  const q = snapshot.questionnaire
  const asked = query.get('lang') ?? undefined
  const language = languageFor(q, asked, stored?.language, (codes) => ctx.acceptsLanguages(codes))
  const voice = voiceOf(q, language, stored?.answers ?? {}, invited?.fields)
  const tests = shutBy(context, snapshot, collector) !== undefined && (await isTester(request, snapshot))
  // A page that was not taken has an address before there is a response.
  const own = pathFor(snapshot, stored?.key ?? (query.has('_draft') ? key : undefined))
  const around: Surroundings = {
    q,
    voice,
    notice: tests ? voice.words.testing : undefined,
    inLanguage: (code) => withQuery(own, { ...Object.fromEntries(query), lang: code }),
  }
  return {
    visit: request,
    snapshot,
    collector,
    key,
    stored,
    invited,
    hasUnknownCode: !stored && !invited && Boolean(query.get('code')),
    tests,
    voice,
    asked: asked === language ? asked : undefined,
    here: query.has('_denied') ? searched(own, withoutDenied(query)) : own + ctx.search,
    show: ({ first, prefix = '', notice, content }) =>
      surveyPage({ ...around, notice: around.notice ?? notice }, { first, prefix, content }),
  }
}

function withoutDenied(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query)
  rest.delete('_denied')
  return rest
}

/** The password page after a wrong password, or after too many of them. */
function passwordDenied({ visit: { ctx }, voice, here, show: render }: ResolvedRequest, reason: string): PageResult {
  const { words } = voice
  const isHeld = /^[1-9]\d{0,2}$/.test(reason)
  if (isHeld) ctx.set('Retry-After', String(Number(reason) * 60))
  const error = isHeld ? voice.tell(words.passwordWait, { n: Number(reason) }) : voice.tell(words.passwordWrong)
  return { status: isHeld ? 429 : 403, page: render({ content: passwordView(voice, here, error) }) }
}

/** Where the owner sends respondents who are done, if it is an address of the web. */
export function redirectOf({ settings: { redirect_url } }: CollectorSnapshot): string | undefined {
  return redirect_url && /^https?:\/\//i.test(redirect_url) && URL.canParse(redirect_url) ? redirect_url : undefined
}

/**
 * Browsers hold what the answer to a form redirects to against `form-action`, and all it redirects to in turn: a survey
 * that ends on somebody else's page, or lets respondents sign in there, has to allow it (CSP3, section 6.4.1).
 */
function allowRedirect({ ctx }: PageRequest): void {
  setContentSecurityPolicy(ctx, { 'form-action': ["'self'", 'http:', 'https:'] })
}

/** The cookie that holds the pass of a survey with a password. */
export const passCookie = (snapshot: SurveySnapshot): string => `survey_${snapshot.id}`

/**
 * What a respondent sees instead of questions: why the survey takes no answers, or the way in by a password or a sign-in.
 * @param key of the response, or of the one about to be made
 * @param sent the fields of the page that was sent
 */
export async function checkAccess(
  arrived: ResolvedRequest,
  key: Buffer,
  sent?: FormFields,
): Promise<PageResult | undefined> {
  const { visit: request, snapshot, collector, stored, invited, tests, voice, show: render, here } = arrived
  const { context, ctx, query } = request
  const known = stored !== undefined || invited !== undefined
  const refusal = await unavailabilityOf(context, snapshot, collector, { known, tests })
  const status = ctx.method === 'POST' ? 403 : 200
  if (refusal) {
    // The page is the same at its own address.
    if (refusal === 'full' && sent && formValue(sent, '_go') !== 'look') return { redirect: here }
    const content = refusalView(voice, refusal, collector.settings.closed_message, query.has('code'))
    return { status, page: render({ content }) }
  }
  const denied = sent ? null : query.get('_denied')
  if (!isPassed(context.services, snapshot, collector, ctx.cookies.get(passCookie(snapshot)) ?? ''))
    return denied ? passwordDenied(arrived, denied) : { status, page: render({ content: passwordView(voice, here) }) }
  if (denied === 'used') return { status: 403, page: render({ content: refusalView(voice, 'used', '', false) }) }
  return signInObstacle(arrived, key, sent)
}
