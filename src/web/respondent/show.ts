import { markViewed, responseOf } from '../../domain/invitation/visit.ts'
import type { Stored } from '../../domain/response/edit/save.ts'
import { pathOf } from '../../domain/respondent/path.ts'
import { type Html, html } from '../../lib/html.ts'
import { randomKey } from '../../lib/token.ts'
import { message } from '../layout/message.ts'
import type { Answer, Visit } from '../page.ts'
import { pathFor, searched, withoutOwn, withQuery } from './address.ts'
import { type Arrived, arrive, obstacle } from './resolve-request.ts'
import { hiddenOf, prefilledOf } from './input.ts'
import { showPage } from './page.ts'
import { signInObstacle } from './sign-in/gate.ts'
import { draftAt, showTyped } from './typed.ts'
import { refusalView } from './view.ts'

/** The first page of a survey. Opening it stores nothing: the response is made when it is sent. */
export async function showSurvey(visit: Visit): Promise<Answer> {
  const arrived = await arrive(visit)
  const { snapshot } = arrived
  // A browser that goes back finds this page again, with the same key: no second response.
  visit.ctx.set('Cache-Control', 'private, no-cache')
  const elsewhere = await openInvitation(arrived)
  if (elsewhere) return elsewhere
  const key = randomKey()
  const inTheWay = await obstacle(arrived, key)
  if (inTheWay) return inTheWay
  const q = snapshot.questionnaire
  const values = prefilledOf(q, visit.query)
  const answers = { ...values, ...hiddenOf(q, visit.query) }
  const { pages } = pathOf(q, answers, null)
  const carried = {
    _started: String(visit.context.now.getTime()),
    _referrer: visit.ctx.get('referer').slice(0, 2000),
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
async function openInvitation(arrived: Arrived): Promise<Answer | undefined> {
  const { visit, snapshot, collector, invited, asked, voice, show } = arrived
  if (!invited) return undefined
  // When somebody opened an anonymous survey would tell which response is theirs.
  if (visit.ctx.method === 'GET' && !collector.settings.anonymous) await markViewed(visit.context, invited)
  if (!collector.settings.one_per_invite) return undefined
  if (invited.used) return { page: show({ content: refusalView(voice, 'used', '', false) }) }
  const key = await responseOf(visit.context, snapshot, invited)
  return key && { redirect: withQuery(pathFor(snapshot, key), { lang: asked }) }
}

/** A response at its own address: the page that waits, one that was asked for, or that it is complete. */
export async function showResponse(visit: Visit): Promise<Answer> {
  const arrived = await arrive(visit)
  const { stored, voice, show } = arrived
  if (stored && stored.completed > 0)
    return (
      (await signInObstacle(arrived, stored.key)) ?? {
        page: show({ prefix: voice.words.thankYouTitle, content: farewell(arrived) }),
      }
    )
  const draft = await draftAt(arrived)
  if (!stored && !draft) return nothingHere(arrived)
  const inTheWay = await obstacle(arrived, arrived.key!)
  if (inTheWay) return inTheWay
  if (draft) return showTyped(arrived, draft)
  return showStored(arrived, stored!)
}

/** The page of a response that waits, or one that was asked for. */
async function showStored(arrived: Arrived, stored: Stored): Promise<Answer> {
  const { visit, snapshot, asked, show } = arrived
  const { query } = visit
  const own = pathFor(snapshot, stored.key)
  if (query.has('saved')) return { page: show({ content: savedView(arrived, own) }) }
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
function farewell({ visit, snapshot, collector, stored, voice }: Arrived): Html {
  const { words } = voice
  const quota = snapshot.questionnaire.quotas[Number(visit.query.get('quota') ?? Number.NaN)]
  if (quota)
    return message(voice.tell(words.thankYouTitle), quota.message ? voice.say(quota.message) : voice.tell(words.full))
  if (stored?.completed === 2) return message(voice.tell(words.terminatedTitle), voice.tell(words.terminated))
  return message(voice.tell(words.thankYouTitle), collector.settings.thank_you_message || voice.tell(words.thankYou))
}

/** A page that was kept for a day leads back to the beginning when the day is over; any other key leads nowhere. */
function nothingHere(arrived: Arrived): Answer {
  const { visit, snapshot, show } = arrived
  if (!visit.query.has('_draft')) return { status: 404, page: show({ content: nothingView(arrived) }) }
  return { redirect: searched(pathFor(snapshot), withoutOwn(visit.query)) }
}

const nothingView = ({ here, voice }: Arrived): Html =>
  message(
    voice.tell(voice.words.noAnswers),
    html`<a class="button" href="${here}">${voice.tell(voice.words.enter)}</a>`,
  )

function savedView({ visit, voice }: Arrived, path: string): Html {
  const address = `${visit.context.site.baseUrl}${path}`
  const { words } = voice
  return message(
    voice.tell(words.savedTitle),
    voice.tell(words.saved),
    html`<a class="address" href="${path}">${address}</a>`,
    html`<a class="button" href="${path}">${voice.tell(words.continueHere)}</a>`,
  )
}
