import type { FieldError } from '../../domain/field-error.ts'
import { problems } from '../../domain/problem.ts'
import { closedReason } from '../../domain/respondent/availability.ts'
import { lookAtPage, type Submission } from '../../domain/respondent/page-submission.ts'
import {
  correctResponse,
  findByReceipt,
  hasReceipt,
  isReceiptPass,
  receiptCode,
  receiptPass,
  withdrawResponse,
} from '../../domain/respondent/receipt.ts'
import type { ResponseRecord } from '../../domain/response/submit/save.ts'
import { pagePath } from '../../domain/structure/flow.ts'
import type { Answers, Page, Question } from '../../domain/structure/questionnaire.ts'
import { fromForm } from '../../domain/structure/stored.ts'
import { formValues } from '../../domain/structure/write-answer.ts'
import type { CollectorSnapshot } from '../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import { message } from '../layout/parts.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { errorsByKey } from '../questions/render-context.ts'
import { pathFor, withQuery } from './address.ts'
import { errorSummary, renderQuestions } from './form.ts'
import { duplicateRankErrors, offeredKeys, readValues, shownQuestionIds } from './input.ts'
import { secondsToWait } from './rate-limit.ts'
import { disconnectionOf } from './render-in-slices.ts'
import { type ResolvedRequest, resolveRequest } from './resolve-request.ts'
import { findShownFiles } from './uploads.ts'
import { surveyPage } from './view.ts'

/** The page of the receipt, below the address of a survey. */
export const RECEIPT_PATH = 'receipt/'

/** The fields of the forms. */
const CODE = 'receipt_code'
const ACTION = '_do'

/** The parameter of the final page that lets it show the code. */
const PASS = '_receipt'

/** Enough for the answers to all pages of a survey. */
const MAX_FORM_BYTES = 4 * 1024 * 1024

/** Returns whether respondents of a collector get a code. On a shared device, the next person would see it. */
export const givesReceipt = ({ settings }: CollectorSnapshot): boolean => settings.receipt && !settings.kiosk

/** Returns the parameter of the address of the final page with which it shows the code. */
export const receiptParameter = ({ request, collector }: ResolvedRequest, key: Buffer): Record<string, string> =>
  givesReceipt(collector) ? { [PASS]: receiptPass(request.context, key) } : {}

/** Renders the code on the final page, if the respondent has just arrived there. */
export function receiptView({ request, snapshot, collector, stored, i18n }: ResolvedRequest): Part {
  const { context, query } = request
  if (!stored || !givesReceipt(collector) || !hasReceipt(snapshot, stored)) return null
  if (!isReceiptPass(context, stored.key, query.get(PASS))) return null
  const code = receiptCode(context.services.secretKey, snapshot.id, stored.id)
  const { texts } = i18n
  return html`<section class="message receipt">
    <h2>${i18n.text(texts.receiptCode)}</h2>
    <p><code class="code">${code}</code></p>
    <p>${i18n.text(texts.receiptText)}</p>
    <form method="post" action="${pathFor(snapshot)}${RECEIPT_PATH}">
      <input type="hidden" name="${CODE}" value="${code}">
      <button>${i18n.text(texts.receiptOpen)}</button>
    </form>
  </section>`
}

/** Shows the form for the code. */
export async function showReceipt(request: PageRequest): Promise<PageResult> {
  const resolved = await resolveRequest(request)
  assertOffered(resolved)
  return { page: receiptPage(resolved, codeForm(resolved)) }
}

/** @throws {Problem} `survey_not_found` if no collector of the survey gives receipts */
function assertOffered({ snapshot }: ResolvedRequest): void {
  if (![...snapshot.collectors.values()].some(({ settings }) => settings.receipt)) throw problems.surveyNotFound()
}

function receiptPage({ snapshot, i18n }: ResolvedRequest, content: Part): Html {
  const { questionnaire: q, theme } = snapshot
  const pathInLanguage = (lang: string) => withQuery(`${pathFor(snapshot)}${RECEIPT_PATH}`, { lang })
  return surveyPage({ q, theme, i18n, pathInLanguage }, { prefix: i18n.texts.receiptTitle, content })
}

function codeForm({ i18n }: ResolvedRequest, error?: string): Html {
  const { texts, text } = i18n
  return html`<section class="message">
    <h2>${text(texts.receiptTitle)}</h2>
    <p id="receipt-d">${text(texts.receiptPrompt)}</p>
    <form method="post">
      <div class="question${error && ' invalid'}">
        <label class="question-label" for="receipt">${text(texts.receiptCode)}</label>
        ${error && html`<p class="error" id="receipt-e" role="alert">${text(error)}</p>`}
        <input class="box" id="receipt" name="${CODE}" autocomplete="off" autocapitalize="characters" spellcheck="false"
            required autofocus maxlength="100"
            aria-describedby="receipt-d${error && ' receipt-e'}"${error && html` aria-invalid="true"`}>
      </div>
      <div class="actions"><button class="primary">${text(texts.receiptOpen)}</button></div>
    </form>
  </section>`
}

/** Shows, corrects or withdraws the response of a code. The code is in each form, and in no address. */
export async function submitReceipt(request: PageRequest): Promise<PageResult> {
  const resolved = await resolveRequest(request)
  assertOffered(resolved)
  request.ctx.set('Cache-Control', 'no-store')
  const { context } = request
  const { signInFailures } = context.services.limits
  const seconds = await secondsToWait(request, (network) => signInFailures.check(network))
  if (seconds !== undefined) throw problems.tooManyRequests('Too many wrong codes.', seconds)
  const form = await request.form(MAX_FORM_BYTES)
  const code = formValue(form, CODE) ?? ''
  const stored = await findByReceipt(context, resolved.snapshot, code)
  if (!stored) {
    await secondsToWait(request, (network) => signInFailures.consume(network))
    return { status: 404, page: receiptPage(resolved, codeForm(resolved, resolved.i18n.texts.receiptUnknown)) }
  }
  switch (formValue(form, ACTION)) {
    case 'withdraw':
      return { page: receiptPage(resolved, withdrawalForm(resolved, code)) }
    case 'delete':
      await withdrawResponse(context, resolved.snapshot, stored.id)
      return {
        page: receiptPage(resolved, message(resolved.i18n.text(resolved.i18n.texts.withdrawn), null)),
      }
    case 'save':
      return saveCorrection(resolved, stored, code, form)
    default:
      if (formValue(form, '_go') === 'look') return { json: lookAtAll(resolved, stored, form) }
      return { page: receiptPage(resolved, await answersForm(resolved, stored, code)) }
  }
}

function withdrawalForm({ i18n }: ResolvedRequest, code: string): Html {
  const { texts, text } = i18n
  return html`<section class="message">
    <h2>${text(texts.withdraw)}</h2>
    <p>${text(texts.withdrawText)}</p>
    <form method="post" class="actions">
      <input type="hidden" name="${CODE}" value="${code}">
      <button class="primary" name="${ACTION}" value="delete">${text(texts.withdraw)}</button>
      <button name="${ACTION}" value="show">${text(texts.back)}</button>
    </form>
  </section>`
}

/** Returns whether the respondent can still correct the response. */
const isOpen = ({ request, snapshot }: ResolvedRequest, { collectorId }: ResponseRecord): boolean => {
  const collector = snapshot.collectors.get(collectorId)
  return collector !== undefined && closedReason(request.context, snapshot, collector) === undefined
}

/** Files and signatures stay as they are: uploading belongs to the response while it is open. */
const isLocked = ({ fields }: Question): boolean => fields.some(({ type }) => type === 'file')

/** What the form shows after a correction. */
interface Entered {
  answers: Answers
  values: Readonly<Record<string, unknown>>
  errors: readonly FieldError[]
  isSaved: boolean
}

/** Renders all pages of the response with its answers, which can be changed until the survey closes. */
async function answersForm(
  resolved: ResolvedRequest,
  stored: ResponseRecord,
  code: string,
  entered?: Entered,
): Promise<Html> {
  const { request, snapshot, i18n } = resolved
  const { questionnaire: q } = snapshot
  const { texts, text } = i18n
  const { answers = stored.answers, errors = [] } = entered ?? {}
  const values = { ...formValues(q, stored.answers, i18n.language), ...entered?.values }
  const canChange = isOpen(resolved, stored)
  const { settings } = snapshot.collectors.get(stored.collectorId) ?? resolved.collector
  const parts: Html[] = []
  for (const number of pagePath(q, answers)) {
    const page = q.pages[number - 1]!
    const files = await findShownFiles({ ...resolved, stored }, stored.key, page, values)
    const view = {
      q,
      page,
      i18n,
      answers,
      values,
      files,
      maxMegabytes: request.context.services.files.maxMegabytes,
      errors: errorsByKey([...errors]),
      omitsExternalImages: settings.anonymous,
      key: stored.key.toString('hex'),
      isGone: disconnectionOf(request.ctx),
    }
    parts.push(await renderQuestions(view, isLocked))
  }
  const isMore = entered !== undefined && !entered.isSaved && errors.length === 0
  return html`
    ${errorSummary({ q, i18n, errors: errorsByKey([...errors]), more: isMore })}
    ${entered?.isSaved && html`<p class="notice" role="status">${text(texts.changesSaved)}</p>`}
    ${!canChange && html`<p class="notice">${text(texts.receiptClosed)}</p>`}
    <form method="post" class="own-answers" novalidate>
      <input type="hidden" name="${CODE}" value="${code}">
      <h2>${text(texts.receiptTitle)}</h2>
      <fieldset${!canChange && html` disabled`}>${parts}</fieldset>
      <div class="actions">
        ${canChange && html`<button class="primary" name="${ACTION}" value="save">${text(texts.saveChanges)}</button>`}
        <button name="${ACTION}" value="withdraw">${text(texts.withdraw)}</button>
      </div>
    </form>`
}

/** Returns what the form contains of a page. The answers to locked questions are the stored ones. */
function submissionOf({ i18n }: ResolvedRequest, page: Page, form: FormFields, stored: Answers): Submission {
  const { values, duplicateRanks } = readValues(page, form)
  const locked = page.questions.filter(isLocked)
  for (const { key, storedKey } of locked.flatMap(({ fields }) => fields))
    values[storedKey] = Object.hasOwn(stored, key) ? stored[key] : ''
  return {
    page: page.number,
    raw: values,
    errors: duplicateRankErrors(duplicateRanks),
    shown: new Set([...(shownQuestionIds(form) ?? []), ...locked.map(({ id }) => id)]),
    offered: offeredKeys(form),
    go: 'next',
    language: i18n.language,
  }
}

async function saveCorrection(
  resolved: ResolvedRequest,
  stored: ResponseRecord,
  code: string,
  form: FormFields,
): Promise<PageResult> {
  if (!isOpen(resolved, stored)) return { page: receiptPage(resolved, await answersForm(resolved, stored, code)) }
  const { request, snapshot } = resolved
  const { questionnaire: q } = snapshot
  const read = (page: number, answers: Answers) => submissionOf(resolved, q.pages[page - 1]!, form, answers)
  const { answers, errors, end } = await correctResponse(request.context, snapshot, stored.id, read)
  const isSaved = end !== undefined
  const raw = Object.assign({}, ...q.pages.map(({ number }) => read(number, stored.answers).raw))
  const values = isSaved ? formValues(q, answers, resolved.i18n.language) : fromForm(q, raw)
  const shown = isSaved ? { ...stored, answers } : stored
  const content = await answersForm(resolved, shown, code, { answers, values, errors, isSaved })
  return { ...(errors.length > 0 && { status: 422 }), page: receiptPage(resolved, content) }
}

/** Returns what all pages of the form show with the entered values, for the script. */
function lookAtAll(resolved: ResolvedRequest, stored: ResponseRecord, form: FormFields) {
  const { questionnaire: q } = resolved.snapshot
  const submissions = q.pages.map((page) => submissionOf(resolved, page, form, stored.answers))
  const raw = Object.assign({}, ...submissions.map((submission) => submission.raw))
  const looks = submissions.map((submission) => lookAtPage(q, stored, { ...submission, raw }))
  return {
    shown: looks.flatMap(({ shown }) => shown),
    waiting: looks.flatMap(({ waiting = [] }) => waiting),
    choices: looks.flatMap(({ choices = [] }) => choices),
  }
}
