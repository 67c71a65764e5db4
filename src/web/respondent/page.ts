import { pathOf } from '../../domain/respondent/path.ts'
import { hasGroups, withGroups } from '../../domain/structure/assignment.ts'
import { nextStep, previousPage } from '../../domain/structure/flow.ts'
import { positionOf } from '../../domain/structure/page-order.ts'
import type { Answers, Page } from '../../domain/structure/questionnaire.ts'
import type { Html, Part } from '../../lib/html.ts'
import { fill } from '../../lib/texts.ts'
import { translatorFor } from '../i18n/i18n.ts'
import type { ErrorsByKey } from '../questions/question-view.ts'
import { pathFor, withoutPageState, withQuery, withSearch } from './address.ts'
import { type FormView, mayAdvance, renderForm } from './form.ts'
import { disconnectionOf } from './render-in-slices.ts'
import type { ResolvedRequest } from './resolve-request.ts'
import { findShownFiles } from './uploads.ts'

/** The key of the response, the answers and the entered values that a page shows. */
export interface PageContent {
  key: Buffer
  /** Whether a response with the key exists. */
  stored: boolean
  answers: Answers
  values: Readonly<Record<string, unknown>>
  errors?: ErrorsByKey
  more?: boolean
  /** The reason why nothing was stored, if the reason is not an error in an answer. */
  notStored?: FormView['notStored']
  carried?: Readonly<Record<string, string>>
  /** Elements of the HTML head that describe the page to other sites, such as social networks. */
  head?: Part
}

/** Renders a page of the survey for the respondent. */
export async function showPage(resolved: ResolvedRequest, page: Page, entered: PageContent): Promise<Html> {
  const { request, snapshot, collector, kept, hasUnknownCode, render } = resolved
  const { questionnaire: q } = snapshot
  const { progress_bar, back_button, save_and_continue } = collector.settings
  const { key, stored, values, errors = new Map(), more = false, notStored, carried = {}, head } = entered
  // The form is submitted to the address of the response and not of the survey. A POST to the address of the survey
  // would invalidate the cached first page (RFC 9111, section 4.4), and the Back button would then load a first page
  // with the key of another response.
  const path = pathFor(snapshot, key)
  const seed = key.toString('hex')
  const answers = withGroups(q, entered.answers, seed)
  // Texts of the first page can name the group, before a response is stored.
  const i18n =
    hasGroups(q) && answers !== resolved.stored?.answers
      ? translatorFor(q, resolved.i18n.language, answers, resolved.invited?.fields, snapshot.texts)
      : resolved.i18n
  const isLast = typeof nextStep(q, page.number, answers, seed) === 'string'
  const content = await renderForm({
    q,
    page,
    i18n,
    isGone: disconnectionOf(request.ctx),
    answers,
    values,
    files: await findShownFiles(resolved, key, page, values),
    maxMegabytes: request.context.services.files.maxMegabytes,
    errors,
    omitsExternalImages: collector.settings.anonymous,
    more,
    ...(notStored && { notStored }),
    carried,
    key: seed,
    action: stored ? withQuery(path, kept) : withSearch(path, withoutPageState(request.query)),
    back: back_button && previousPage(q, page.number, answers, seed) !== undefined,
    last: isLast,
    later: save_and_continue,
    progressBar: progress_bar,
    ...(snapshot.theme.layout === 'question' && { oneQuestion: { advances: mayAdvance(page, back_button, isLast) } }),
    jumps: q.display.jumping && back_button ? pathOf(q, answers, resolved.stored?.pagepath ?? null, seed).pages : [],
  })
  const position =
    q.pages.length > 1 ? fill(i18n.texts.progress, { n: positionOf(q, page.number, seed), of: q.pages.length }) : ''
  const prefix = [errors.size > 0 && i18n.texts.errorPrefix, position].filter(Boolean).join(': ')
  const noticeText = hasUnknownCode ? i18n.texts.unlinkedCode : undefined
  return render({ first: positionOf(q, page.number, seed) === 1, prefix, notice: noticeText, content, head })
}
