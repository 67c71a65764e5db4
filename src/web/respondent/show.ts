import { pathOf } from '../../domain/respondent/path.ts'
import type { Stored } from '../../domain/response/submit/save.ts'
import { type Html, html } from '../../lib/html.ts'
import { randomKey } from '../../lib/token.ts'
import { message } from '../layout/message.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { checkAccess } from './access.ts'
import { pathFor, searched, withoutOwn, withQuery } from './address.ts'
import { findRequestedDraft, showDraft } from './draft-page.ts'
import { hiddenOf, prefilledOf } from './input.ts'
import { showPage } from './page.ts'
import { type ResolvedRequest, resolveRequest } from './resolve-request.ts'

/** The first page of a survey. Opening it stores nothing: the response is made when it is sent. */
export async function showSurvey(request: PageRequest): Promise<PageResult> {
  const resolved = await resolveRequest(request)
  const { snapshot } = resolved
  // A browser that goes back finds this page again, with the same key: no second response.
  request.ctx.set('Cache-Control', 'private, no-cache')
  const key = randomKey()
  const denied = await checkAccess(resolved, key)
  if (denied) return denied
  const q = snapshot.questionnaire
  const values = prefilledOf(q, request.query)
  const answers = { ...values, ...hiddenOf(q, request.query) }
  const { pages } = pathOf(q, answers, null)
  const carried = {
    _started: String(request.context.now.getTime()),
    _referrer: request.ctx.get('referer').slice(0, 2000),
  }
  return {
    page: await showPage(resolved, q.pages[pages[0]! - 1]!, {
      key,
      stored: false,
      answers,
      values,
      carried,
    }),
  }
}

/** A response at its own address: the page that waits, one that was asked for, or that it is complete. */
export async function resumeResponse(request: PageRequest): Promise<PageResult> {
  const resolved = await resolveRequest(request)
  const { stored, i18n, render } = resolved
  const isComplete = stored !== undefined && stored.completed > 0
  const draft = isComplete ? undefined : await findRequestedDraft(resolved)
  if (!stored && !draft) return missingResponse(resolved)
  const denied = await checkAccess(resolved, resolved.key!)
  if (denied) return denied
  if (isComplete) return { page: render({ prefix: i18n.texts.thankYouTitle, content: endView(resolved) }) }
  if (draft) return showDraft(resolved, draft)
  return showStored(resolved, stored!)
}

/** The page of a response that waits, or one that was asked for. */
async function showStored(resolved: ResolvedRequest, stored: Stored): Promise<PageResult> {
  const { request, snapshot, requestedLanguage, render } = resolved
  const { query } = request
  const own = pathFor(snapshot, stored.key)
  if (query.has('saved')) return { page: render({ content: savedView(resolved, own) }) }
  const q = snapshot.questionnaire
  const { pages, waiting } = pathOf(q, stored.answers, stored.pagepath)
  const wanted = Number(query.get('page'))
  const number = pages.includes(wanted) ? wanted : (waiting ?? pages.at(-1)!)
  if (query.has('page') && number !== wanted)
    return { redirect: withQuery(own, { page: number, lang: requestedLanguage }) }
  return {
    page: await showPage(resolved, q.pages[number - 1]!, {
      key: stored.key,
      stored: true,
      answers: stored.answers,
      values: stored.answers,
    }),
  }
}

/** What is said at the end. A full quota has words of its own; its number in the address says which quota it was. */
function endView({ request, snapshot, collector, stored, i18n }: ResolvedRequest): Html {
  const { texts } = i18n
  const quota = snapshot.questionnaire.quotas[Number(request.query.get('quota') ?? Number.NaN)]
  if (quota)
    return message(
      i18n.text(texts.thankYouTitle),
      quota.message ? i18n.surveyText(quota.message) : i18n.text(texts.full),
    )
  if (stored?.completed === 2) return message(i18n.text(texts.terminatedTitle), i18n.text(texts.terminated))
  return message(i18n.text(texts.thankYouTitle), collector.settings.thank_you_message || i18n.text(texts.thankYou))
}

/** A page that was kept for a day leads back to the beginning when the day is over; any other key leads nowhere. */
function missingResponse(resolved: ResolvedRequest): PageResult {
  const { request, snapshot, render } = resolved
  if (!request.query.has('_draft')) return { status: 404, page: render({ content: missingResponseView(resolved) }) }
  return { redirect: searched(pathFor(snapshot), withoutOwn(request.query)) }
}

const missingResponseView = ({ address, i18n }: ResolvedRequest): Html =>
  message(i18n.text(i18n.texts.noAnswers), html`<a class="button" href="${address}">${i18n.text(i18n.texts.enter)}</a>`)

function savedView({ request, i18n }: ResolvedRequest, path: string): Html {
  const address = `${request.context.services.baseUrl}${path}`
  const { texts } = i18n
  return message(
    i18n.text(texts.savedTitle),
    i18n.text(texts.saved),
    html`<a class="address" href="${path}">${address}</a>`,
    html`<a class="button" href="${path}">${i18n.text(texts.continueHere)}</a>`,
  )
}
