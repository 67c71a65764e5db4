import { endOf, pathOf } from '../../domain/respondent/path.ts'
import type { ResponseRecord } from '../../domain/response/submit/save.ts'
import { drawKey, withGroups } from '../../domain/structure/assignment.ts'
import { formValues } from '../../domain/structure/write-answer.ts'
import { coverPath, logoPath } from '../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { message } from '../layout/parts.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { checkAccess } from './access.ts'
import { pathFor, withoutPageState, withQuery, withSearch } from './address.ts'
import { hiddenAnswers, ISSUED_FIRST, prefilledAnswers } from './input.ts'
import { showPage } from './page.ts'
import { redirectToPanel } from './panel.ts'
import { receiptView } from './receipt.ts'
import { hasEnded, type ResolvedRequest, resolveRequest } from './resolve-request.ts'
import { findRequestedDraft, savedView, showDraft, startedView } from './resume.ts'
import { thankYouView } from './theme.ts'

/** Shows the first page of a survey. Stores no response: the response is created when the page is submitted. */
export async function showSurvey(request: PageRequest): Promise<PageResult> {
  const resolved = await resolveRequest(request)
  const { snapshot } = resolved
  // The Back button of the browser restores this page with the key of the same response. If the respondent submits the
  // page again, no second response is created.
  request.ctx.set('Cache-Control', 'private, no-cache')
  const key = drawKey(snapshot.questionnaire)
  const denied = await checkAccess(resolved, key)
  if (denied) return denied
  const started = await startedView(resolved)
  if (started) return { page: resolved.render({ content: started }) }
  const q = snapshot.questionnaire
  const { anonymous } = resolved.collector.settings
  const values = prefilledAnswers(q, request.query, anonymous)
  const answers = { ...values, ...hiddenAnswers(q, request.query, anonymous) }
  const seed = key.toString('hex')
  const { pages } = pathOf(q, withGroups(q, answers, seed), null, seed)
  // An anonymous response contains neither. They would otherwise be part of drafts.
  const carried: Record<string, string> = anonymous
    ? { [ISSUED_FIRST]: '1' }
    : {
        [ISSUED_FIRST]: '1',
        _started: String(request.context.now.getTime()),
        _referrer: request.ctx.get('referer').slice(0, 2000),
      }
  return {
    page: await showPage(resolved, q.pages[pages[0]! - 1]!, {
      key,
      stored: false,
      answers,
      values: formValues(q, values, resolved.i18n.language),
      carried,
      head: socialPreview(resolved),
    }),
  }
}

/** Shows a response at the address of the response: its current page, the requested page, or the final page. */
export async function resumeResponse(request: PageRequest): Promise<PageResult> {
  const resolved = await resolveRequest(request)
  const { stored, i18n, render } = resolved
  const isComplete = hasEnded(resolved)
  const draft = isComplete ? undefined : await findRequestedDraft(resolved)
  if (!stored && !draft) return missingResponse(resolved)
  const denied = await checkAccess(resolved, resolved.key!)
  if (denied) return denied
  const toPanel = isComplete && (await redirectToPanel(resolved))
  if (toPanel) return toPanel
  if (isComplete)
    return {
      page: render({
        completed: true,
        prefix: i18n.texts.thankYouTitle,
        content: [endView(resolved), receiptView(resolved)],
      }),
    }
  if (draft) return showDraft(resolved, draft)
  return showStored(resolved, stored!)
}

/** Shows the current page of an incomplete response, or the requested page. */
async function showStored(resolved: ResolvedRequest, stored: ResponseRecord): Promise<PageResult> {
  const { request, snapshot, kept, render } = resolved
  const { query } = request
  const path = pathFor(snapshot, stored.key)
  if (query.has('saved')) return { page: render({ content: savedView(resolved) }) }
  const q = snapshot.questionnaire
  const seed = stored.key.toString('hex')
  const { pages, current } = pathOf(q, withGroups(q, stored.answers, seed), stored.pagepath, seed)
  const requestedNumber = Number(query.get('page'))
  const number = pages.includes(requestedNumber) ? requestedNumber : (current ?? pages.at(-1)!)
  if (query.has('page') && number !== requestedNumber) return { redirect: withQuery(path, { page: number, ...kept }) }
  return {
    page: await showPage(resolved, q.pages[number - 1]!, {
      key: stored.key,
      stored: true,
      answers: stored.answers,
      values: formValues(q, stored.answers, resolved.i18n.language),
      carried: resolved.collector.settings.anonymous ? {} : { _started: String(request.context.now.getTime()) },
    }),
  }
}

/**
 * Renders the final page. If the URL contains the number of a quota, that quota was full, and the page shows the
 * message of the quota.
 */
function endView({ request, snapshot, collector, stored, i18n }: ResolvedRequest): Html {
  const { texts } = i18n
  const quota = snapshot.questionnaire.quotas[Number(request.query.get('quota') ?? Number.NaN)]
  if (quota)
    return message(
      i18n.text(texts.thankYouTitle),
      quota.message ? i18n.surveyText(quota.message) : i18n.text(texts.full),
    )
  if (stored && endOf(snapshot.questionnaire, stored) === 'terminate')
    return message(i18n.text(texts.terminatedTitle), i18n.text(texts.terminated))
  return thankYouView(snapshot.theme, collector.settings.thank_you_message, i18n)
}

/**
 * If the URL names an expired draft, redirects to the first page of the survey. Otherwise returns 404, because no
 * response has the key in the URL.
 */
function missingResponse(resolved: ResolvedRequest): PageResult {
  const { request, snapshot, render } = resolved
  if (!request.query.has('_draft')) return { status: 404, page: render({ content: missingResponseView(resolved) }) }
  return { redirect: withSearch(pathFor(snapshot), withoutPageState(request.query)) }
}

const missingResponseView = ({ address, i18n }: ResolvedRequest): Html =>
  message(
    i18n.text(i18n.texts.noSavedAnswersTitle),
    html`<a class="button" href="${address}">${i18n.text(i18n.texts.goToSurvey)}</a>`,
  )

/**
 * Renders the elements from which messengers and social networks create a preview of a link to a survey (Open Graph).
 * Only the first page of an open survey has these elements. A messenger that cannot open the first page, for example
 * because the survey has a password, gets none of them.
 */
function socialPreview({ request, snapshot, i18n, isTester }: ResolvedRequest): Part {
  if (isTester) return null
  const { baseUrl } = request.context.services
  const { questionnaire: q, theme } = snapshot
  const description = i18n.plainText(q.description)
  const image = theme.cover
    ? { path: coverPath(theme.cover), text: theme.cover_text }
    : theme.logo && { path: logoPath(theme.logo), text: theme.logo_text }
  return html`
    <meta property="og:type" content="website">
    <meta property="og:url" content="${baseUrl}${pathFor(snapshot)}">
    <meta property="og:title" content="${i18n.plainText(q.title)}">
    <meta name="twitter:card" content="${theme.cover ? 'summary_large_image' : 'summary'}">
    ${
      description !== '' &&
      html`<meta property="og:description" content="${description}"><meta name="description" content="${description}">`
    }
    ${
      image &&
      html`
        <meta property="og:image" content="${baseUrl}${image.path}">
        <meta property="og:image:alt" content="${image.text}">`
    }`
}
