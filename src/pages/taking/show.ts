import { markViewed, responseOf } from '../../domain/invitation/visit.ts'
import { nextStep, previousPage } from '../../domain/structure/flow.ts'
import type { Answers, Page } from '../../domain/structure/questionnaire.ts'
import { pathOf } from '../../domain/taking/path.ts'
import { type Html, html } from '../../lib/html.ts'
import { randomKey } from '../../lib/token.ts'
import { message } from '../message.ts'
import type { Answer, Visit } from '../visit.ts'
import { pathFor, withQuery } from './address.ts'
import { type Arrived, arrive, obstacle } from './arrive.ts'
import { callerGone } from './draw.ts'
import { formOf } from './form.ts'
import { hiddenOf } from './input.ts'
import { signInObstacle } from './sign-in/gate.ts'
import { refusalView } from './view.ts'
import { fill } from './words/index.ts'

/** What stands in a page's form beyond what is stored. */
export interface Entered {
  key: Buffer
  /** Whether there is a response under the key by now. */
  stored: boolean
  answers: Answers
  values: Readonly<Record<string, unknown>>
  faults?: ReadonlyMap<string, string>
  more?: boolean
  /** Nothing was stored, because the survey was edited meanwhile. */
  changed?: boolean
  carried?: Readonly<Record<string, string>>
}

/** A page of the survey as the respondent sees it. */
export async function showPage(arrived: Arrived, page: Page, entered: Entered): Promise<Html> {
  const { visit, snapshot, collector, voice, asked, hasUnknownCode, show } = arrived
  const { questionnaire: q } = snapshot
  const { progress_bar, back_button, save_and_continue } = collector.settings
  const { key, stored, answers, values, faults = new Map(), more = false, changed = false, carried = {} } = entered
  // Never the address of the survey itself: a form sent there makes browsers forget the page they would go back to
  // (RFC 9111, section 4.4), and with it the key.
  const own = pathFor(snapshot, key)
  const content = await formOf({
    q,
    page,
    voice,
    isGone: callerGone(visit.ctx),
    answers,
    values,
    faults,
    more,
    changed,
    carried,
    key: key.toString('hex'),
    action: stored ? withQuery(own, { lang: asked }) : own + visit.ctx.search,
    back: back_button && previousPage(q, page.number, answers) !== undefined,
    last: typeof nextStep(q, page.number, answers) === 'string',
    later: save_and_continue,
    progressBar: progress_bar,
    jumps: q.display.jumping && back_button ? pathOf(q, answers, arrived.stored?.pagepath ?? null).pages : [],
  })
  const position = q.pages.length > 1 ? fill(voice.words.progress, { n: page.number, of: q.pages.length }) : ''
  const prefix = [faults.size > 0 && voice.words.errorPrefix, position].filter(Boolean).join(': ')
  const notice = hasUnknownCode ? voice.words.unlinkedCode : undefined
  return show({ first: page.number === 1, prefix, notice, content })
}

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
  const hidden = hiddenOf(q, visit.query)
  const { pages } = pathOf(q, hidden, null)
  const carried = {
    _started: String(visit.context.now.getTime()),
    _referrer: visit.ctx.get('referer').slice(0, 2000),
  }
  return {
    page: await showPage(arrived, q.pages[pages[0]! - 1]!, {
      key,
      stored: false,
      answers: hidden,
      values: {},
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
  const { snapshot, voice, show, asked } = arrived
  const { stored } = arrived
  const { query } = visit
  if (!stored) return { status: 404, page: show({ content: nothingView(arrived) }) }
  if (stored.completed > 0)
    return (
      (await signInObstacle(arrived, stored.key)) ?? {
        page: show({ prefix: voice.words.thankYouTitle, content: farewell(arrived) }),
      }
    )
  const inTheWay = await obstacle(arrived, stored.key)
  if (inTheWay) return inTheWay
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
