import { kilobytes } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import { deleteDraft } from '../../domain/respondent/draft.ts'
import { lookAtPage, type Submission } from '../../domain/respondent/page-submission.ts'
import { exchangePassword } from '../../domain/respondent/password-cookie.ts'
import {
  type RespondentSource,
  type ResponseKey,
  type SubmittedPage,
  submitPageAnswers,
} from '../../domain/respondent/submit-page.ts'
import { drawKey } from '../../domain/structure/assignment.ts'
import type { Answers, Page } from '../../domain/structure/questionnaire.ts'
import { fromForm, toStored } from '../../domain/structure/stored.ts'
import { pipe } from '../../domain/structure/text.ts'
import { formValues } from '../../domain/structure/write-answer.ts'
import { digest } from '../../lib/secrets.ts'
import { setEmbeddedCookie } from '../cookie.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import type { PageRequest, PageResult, UploadForm } from '../page.ts'
import { fileSize } from '../questions/files.ts'
import { checkAccess } from './access.ts'
import { deniedAddress, parseResponseKey, pathFor, surveyQuery, withQuery } from './address.ts'
import type { FormView } from './form.ts'
import {
  duplicateRankErrors,
  hiddenAnswers,
  ISSUED_FIRST,
  offeredKeys,
  parseNavigation,
  prefilledAnswers,
  readValues,
  removeUnrestored,
  shownQuestionIds,
} from './input.ts'
import { showPage } from './page.ts'
import { secondsToWait } from './rate-limit.ts'
import { receiptParameter } from './receipt.ts'
import { hasEnded, passwordCookieName, type ResolvedRequest, redirectOf, resolveRequest } from './resolve-request.ts'
import {
  forgetResponse,
  LINK_RECIPIENT,
  redirectToDraft,
  rememberResponse,
  START_AGAIN,
  sendLink,
  startFields,
} from './resume.ts'
import { type AcceptedFiles, acceptFiles, readSurveyForm } from './uploads.ts'

/**
 * Enough for two answers of 100,000 characters. URL encoding needs nine bytes per character in most writing systems.
 */
const MAX_FORM_BYTES = 2 * 1024 * 1024

/** Handles a submitted page, a submitted password, and the scripts' requests for uploads and for visible questions. */
export async function submitPage(request: PageRequest): Promise<PageResult> {
  const resolved = await resolveRequest(request)
  const { fields: form, files, secondsToWait: secondsForFiles } = await readSurveyForm(resolved, MAX_FORM_BYTES)
  if (hasEnded(resolved))
    return { redirect: withQuery(pathFor(resolved.snapshot, resolved.stored?.key), resolved.panelQuery) }
  if (formValue(form, START_AGAIN) !== undefined) {
    forgetResponse(resolved)
    return { redirect: resolved.address }
  }
  if (formValue(form, '_password') !== undefined) return submitPassword(resolved, formValue(form, '_password')!)
  const sentKey = resolved.key ?? parseResponseKey(formValue(form, '_key')) ?? keyFromHeader(resolved, request, form)
  const key = sentKey ?? drawKey(resolved.snapshot.questionnaire)
  const denied = await checkAccess(resolved, key, form)
  if (denied) return denied
  const recipient = formValue(form, LINK_RECIPIENT)
  if (recipient !== undefined && resolved.stored) return sendLink(resolved, recipient)
  const q = resolved.snapshot.questionnaire
  const page = q.pages[Number(formValue(form, '_page') ?? 1) - 1]
  if (!page) return { redirect: pathFor(resolved.snapshot, resolved.stored?.key) }
  const { values, duplicateRanks } = readValues(page, form)
  const isUnrestored =
    resolved.stored !== undefined &&
    formValue(form, ISSUED_FIRST) !== undefined &&
    removeUnrestored(page, values, resolved.stored.answers, form)
  const go = parseNavigation(form)
  const submission: Submission = {
    page: page.number,
    raw: resolved.stored ? values : { ...unsentAnswers(resolved), ...values },
    errors: duplicateRankErrors(duplicateRanks),
    shown: shownQuestionIds(form),
    offered: offeredKeys(form),
    // The respondent then sees what is stored, and can clear it.
    go: isUnrestored && go === 'next' ? page.number : go,
    language: resolved.i18n.language,
    seed: key.toString('hex'),
  }
  if (formValue(form, '_go') === 'look') return { json: lookAtPage(q, resolved.stored, submission) }
  const { submissions, pageSize } = request.context.services.limits
  const isUpload = formValue(form, '_go') === 'upload'
  const count = async (network: string) => {
    await submissions.consume(network)
    await pageSize.consume(network, kilobytes(pageBytes(request, files)))
  }
  const seconds = secondsForFiles ?? (await secondsToWait(request, count))
  const rejectPage = async (notStored: NotStored, status: number, retryAfter: number) => {
    request.ctx.set('Retry-After', String(retryAfter))
    return { status, page: await pageAgain(resolved, key, page, submission, form, notStored) }
  }
  if (seconds !== undefined) return rejectPage('rateLimited', 429, seconds)
  let accepted: AcceptedFiles
  try {
    accepted = await acceptFiles(resolved, key, page, values, files)
  } catch (error) {
    // The file storage or the virus scanner failed. If the script uploaded the file, the script itself shows a message.
    if (isUpload || !(error instanceof Problem) || error.retryAfter === undefined) throw error
    return rejectPage('uploadFailed', 503, error.retryAfter)
  }
  if (isUpload) return uploadReply(resolved, accepted)
  const { raw, errors = [] } = submission
  const withFiles = { ...submission, raw: { ...raw, ...accepted.values }, errors: [...errors, ...accepted.errors] }
  return storePage(resolved, { key, isNew: !sentKey }, page, withFiles, form)
}

/**
 * Returns the answers that the address of a new response contains, for questions that the first page does not. An
 * anonymous response gets none of them, because its respondent has not seen them.
 */
function unsentAnswers({ request, snapshot, collector, i18n }: ResolvedRequest): Record<string, unknown> {
  const { questionnaire: q } = snapshot
  const { anonymous } = collector.settings
  const prefilled = anonymous ? {} : prefilledAnswers(q, request.query, anonymous)
  return { ...toStored(q, formValues(q, prefilled, i18n.language)), ...hiddenAnswers(q, request.query, anonymous) }
}

/** Returns the size of a submitted page without its files; the maximum if the browser does not declare it. */
function pageBytes({ ctx }: PageRequest, files: UploadForm['files']): number {
  const declared = ctx.request.length ?? MAX_FORM_BYTES
  return Math.max(0, declared - files.reduce((sum, { file }) => sum + file.bytes, 0))
}

type NotStored = FormView['notStored'] & string

/** Returns the reply to the script, which uploads files before the page is submitted. */
const uploadReply = ({ i18n }: ResolvedRequest, { stored, errors }: AcceptedFiles): PageResult => ({
  json: {
    files: stored.map(({ key, name, bytes }) => ({ key, name, size: fileSize(bytes, i18n.language) })),
    errors: errors.map((error) => i18n.errorMessage(error)),
  },
})

/** Minimum length of an Idempotency-Key on a survey page: the length of 128 random bits in base64. */
const MIN_IDEMPOTENCY_KEY_CHARACTERS = 22

/**
 * Returns the key of the response for a program that sends the header Idempotency-Key instead of the form field `_key`.
 * Respondents have no account, so anyone who can compute the key can open the response. Therefore the key also depends
 * on the content of the form, and short headers are ignored.
 */
function keyFromHeader(
  { snapshot }: ResolvedRequest,
  { ctx, context }: PageRequest,
  form: FormFields,
): Buffer | undefined {
  const header = ctx.get('Idempotency-Key')
  if (header.length < MIN_IDEMPOTENCY_KEY_CHARACTERS) return undefined
  const content = JSON.stringify(['response', snapshot.id, header, form])
  return digest(context.services.secretKey, content).subarray(0, 20)
}

async function storePage(
  resolved: ResolvedRequest,
  key: ResponseKey,
  page: Page,
  submission: Submission,
  form: FormFields,
): Promise<PageResult> {
  const { request, snapshot } = resolved
  const submitted = await submitPageAnswers(request.context, snapshot, key, submission, sourceOf(resolved, form))
  const { next } = submitted
  const draft = formValue(form, '_draft')
  if (draft !== undefined && next.to !== 'again' && next.to !== 'changed') await deleteDraft(request.context, draft)
  const address = submitted.stored ? pathFor(snapshot, submitted.key) : resolved.address
  if (next.to === 'end') forgetResponse(resolved)
  else if (submitted.stored) rememberResponse(resolved, submitted.key)
  switch (next.to) {
    case 'page':
      return {
        redirect: submitted.stored ? withQuery(address, { page: next.page, ...resolved.kept }) : address,
      }
    case 'later':
      return {
        redirect: submitted.stored
          ? withQuery(address, { saved: 1, ...resolved.panelQuery, code: resolved.kept.code })
          : address,
      }
    case 'end':
      return { redirect: endAddress(resolved, submitted) }
    case 'full':
      return { redirect: address }
    case 'again':
      return redirectToDraft(resolved, submitted, form, {
        page: page.number,
        values: { ...withoutServiceFields(form), ...submission.raw },
        errors: next.errors,
        more: next.errors.length === 0,
        changed: false,
      })
    case 'changed':
      return redirectToDraft(resolved, submitted, form, {
        page: page.number,
        values: withoutServiceFields(form),
        errors: [],
        more: false,
        changed: true,
      })
  }
}

/** Returns the fields of a form without the fields that the service itself adds. */
const withoutServiceFields = (form: FormFields): FormFields =>
  Object.fromEntries(Object.entries(form).filter(([name]) => !name.startsWith('_')))

/** Shows the submitted page again with the entered values. The values are neither validated nor stored. */
function pageAgain(
  resolved: ResolvedRequest,
  key: Buffer,
  page: Page,
  { raw: values }: Submission,
  form: FormFields,
  notStored: NotStored,
) {
  const { stored } = resolved
  const draft = formValue(form, '_draft')
  const { questionnaire: q } = resolved.snapshot
  const answers = stored?.answers ?? {}
  return showPage(resolved, page, {
    key,
    stored: stored !== undefined,
    answers,
    values: {
      ...formValues(q, answers, resolved.i18n.language),
      ...fromForm(q, { ...withoutServiceFields(form), ...values }),
    },
    notStored,
    carried: { ...(!stored && startFields(form)), ...(draft !== undefined && { _draft: draft }) },
  })
}

/**
 * Returns the address after the last page: the redirect URL of the survey, or the final page of the response. For a
 * respondent of a panel, the final page redirects to the panel (panel.ts).
 */
function endAddress(resolved: ResolvedRequest, { key, limitReached, answers, next }: SubmittedPage): string {
  const { snapshot, collector, panelId } = resolved
  const end = next.to === 'end' && next.completed === 2 ? 'screened_out' : 'complete'
  const returns = panelId !== undefined && collector.panelReturn?.[end]
  const redirectUrl = limitReached || returns ? undefined : redirectOf(collector)
  if (redirectUrl) return fillPlaceholders(redirectUrl, resolved, answers)
  const quota = typeof limitReached === 'object' ? snapshot.questionnaire.quotas.indexOf(limitReached.quota) : -1
  return withQuery(pathFor(snapshot, key), {
    quota: quota < 0 ? undefined : quota,
    ...resolved.panelQuery,
    ...receiptParameter(resolved, key),
  })
}

/**
 * Replaces the placeholders in the redirect URL with answers and with fields of the invitation. For an anonymous
 * response, removes the placeholders instead.
 */
function fillPlaceholders(
  address: string,
  { snapshot, collector, invited, i18n }: ResolvedRequest,
  answers: Answers,
): string {
  const placeholders = collector.settings.anonymous ? { answers: {} } : { answers, invite: invited?.fields ?? {} }
  const { questionnaire: q } = snapshot
  return pipe(address, { q, language: i18n.language, ...placeholders, encode: encodeURIComponent })
}

function sourceOf({ request, collector, invited }: ResolvedRequest, form: FormFields): RespondentSource {
  const shown = Number(formValue(form, '_started'))
  return {
    collector,
    invited,
    ipAddress: request.ctx.ip,
    referrer: formValue(form, '_referrer') ?? '',
    getVariables: surveyQuery(request.query),
    shownAt: Number.isFinite(shown) && shown > 0 ? new Date(shown) : undefined,
  }
}

/** Checks the password of a survey and sets a cookie, which is valid until the password changes. */
async function submitPassword(resolved: ResolvedRequest, password: string): Promise<PageResult> {
  const { request, snapshot, collector, address } = resolved
  const { ctx, context } = request
  try {
    const cookie = await exchangePassword(context, snapshot, collector, password, { ipAddress: ctx.ip })
    if (!cookie) return { redirect: deniedAddress(address, 'password') }
    setEmbeddedCookie(ctx, context.services, passwordCookieName(context.services, snapshot), cookie)
    return { redirect: deniedAddress(address, 'cookies') }
  } catch (error) {
    if (!(error instanceof Problem) || error.retryAfter === undefined) throw error
    return { redirect: deniedAddress(address, Math.ceil(error.retryAfter / 60)) }
  }
}
