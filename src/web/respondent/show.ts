import { markViewed, responseOf } from '../../domain/invitation/visit.ts'
import { pathOf } from '../../domain/respondent/path.ts'
import type { Stored } from '../../domain/response/submit/save.ts'
import { type Html, html } from '../../lib/html.ts'
import { randomKey } from '../../lib/token.ts'
import { message } from '../layout/message.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { pathFor, searched, withoutOwn, withQuery } from './address.ts'
import { hiddenOf, prefilledOf } from './input.ts'
import { showPage } from './page.ts'
import { checkAccess, type ResolvedRequest, resolveRequest } from './resolve-request.ts'
import { signInObstacle } from './sign-in/gate.ts'
import { draftAt, showTyped } from './typed.ts'
import { refusalView } from './view.ts'

/** The first page of a survey. Opening it stores nothing: the response is made when it is sent. */
export async function showSurvey(request: PageRequest): Promise<PageResult> {
  const arrived = await resolveRequest(request)
  const { snapshot } = arrived
  // A browser that goes back finds this page again, with the same key: no second response.
  request.ctx.set('Cache-Control', 'private, no-cache')
  const elsewhere = await openInvitation(arrived)
  if (elsewhere) return elsewhere
  const key = randomKey()
  const inTheWay = await checkAccess(arrived, key)
  if (inTheWay) return inTheWay
  const q = snapshot.questionnaire
  const values = prefilledOf(q, request.query)
  const answers = { ...values, ...hiddenOf(q, request.query) }
  const { pages } = pathOf(q, answers, null)
  const carried = {
    _started: String(request.context.now.getTime()),
    _referrer: request.ctx.get('referer').slice(0, 2000),
  }
  return {
    page: await showPage(arrived, q.pages[pages[0]! - 1]!, {
      key,
      stored: false,
      answers,
      values,
      carried,
    }),
  }
}

/** Marks an invitation as viewed. @returns its response, if it has one and may have only one */
async function openInvitation(arrived: ResolvedRequest): Promise<PageResult | undefined> {
  const { visit: request, snapshot, collector, invited, asked, voice, show: render } = arrived
  if (!invited) return undefined
  // When somebody opened an anonymous survey would tell which response is theirs.
  if (request.ctx.method === 'GET' && !collector.settings.anonymous) await markViewed(request.context, invited)
  if (!collector.settings.one_per_invite) return undefined
  if (invited.used)
    return {
      status: request.query.has('_denied') ? 403 : 200,
      page: render({ content: refusalView(voice, 'used', '', false) }),
    }
  const key = await responseOf(request.context, snapshot, invited)
  return key && { redirect: withQuery(pathFor(snapshot, key), { lang: asked }) }
}

/** A response at its own address: the page that waits, one that was asked for, or that it is complete. */
export async function resumeResponse(request: PageRequest): Promise<PageResult> {
  const arrived = await resolveRequest(request)
  const { stored, voice, show: render } = arrived
  if (stored && stored.completed > 0)
    return (
      (await signInObstacle(arrived, stored.key)) ?? {
        page: render({ prefix: voice.words.thankYouTitle, content: farewell(arrived) }),
      }
    )
  const draft = await draftAt(arrived)
  if (!stored && !draft) return nothingHere(arrived)
  const inTheWay = await checkAccess(arrived, arrived.key!)
  if (inTheWay) return inTheWay
  if (draft) return showTyped(arrived, draft)
  return showStored(arrived, stored!)
}

/** The page of a response that waits, or one that was asked for. */
async function showStored(arrived: ResolvedRequest, stored: Stored): Promise<PageResult> {
  const { visit: request, snapshot, asked, show: render } = arrived
  const { query } = request
  const own = pathFor(snapshot, stored.key)
  if (query.has('saved')) return { page: render({ content: savedView(arrived, own) }) }
  const q = snapshot.questionnaire
  const { pages, waiting } = pathOf(q, stored.answers, stored.pagepath)
  const wanted = Number(query.get('page'))
  const number = pages.includes(wanted) ? wanted : (waiting ?? pages.at(-1)!)
  if (query.has('page') && number !== wanted) return { redirect: withQuery(own, { page: number, lang: asked }) }
  return {
    page: await showPage(arrived, q.pages[number - 1]!, {
      key: stored.key,
      stored: true,
      answers: stored.answers,
      values: stored.answers,
    }),
  }
}

/** What is said at the end. A full quota has words of its own; its number in the address says which quota it was. */
function farewell({ visit: request, snapshot, collector, stored, voice }: ResolvedRequest): Html {
  const { words } = voice
  const quota = snapshot.questionnaire.quotas[Number(request.query.get('quota') ?? Number.NaN)]
  if (quota)
    return message(voice.tell(words.thankYouTitle), quota.message ? voice.say(quota.message) : voice.tell(words.full))
  if (stored?.completed === 2) return message(voice.tell(words.terminatedTitle), voice.tell(words.terminated))
  return message(voice.tell(words.thankYouTitle), collector.settings.thank_you_message || voice.tell(words.thankYou))
}

/** A page that was kept for a day leads back to the beginning when the day is over; any other key leads nowhere. */
function nothingHere(arrived: ResolvedRequest): PageResult {
  const { visit: request, snapshot, show: render } = arrived
  if (!request.query.has('_draft')) return { status: 404, page: render({ content: nothingView(arrived) }) }
  return { redirect: searched(pathFor(snapshot), withoutOwn(request.query)) }
}

const nothingView = ({ here, voice }: ResolvedRequest): Html =>
  message(
    voice.tell(voice.words.noAnswers),
    html`<a class="button" href="${here}">${voice.tell(voice.words.enter)}</a>`,
  )

function savedView({ visit: request, voice }: ResolvedRequest, path: string): Html {
  const address = `${request.context.services.baseUrl}${path}`
  const { words } = voice
  return message(
    voice.tell(words.savedTitle),
    voice.tell(words.saved),
    html`<a class="address" href="${path}">${address}</a>`,
    html`<a class="button" href="${path}">${voice.tell(words.continueHere)}</a>`,
  )
}
