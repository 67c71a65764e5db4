import { randomUUID } from 'node:crypto'
import { renderSVG } from 'uqr'
import { isEmailAddress, readEmailAddress } from '../../domain/email-address.ts'
import { enqueue } from '../../domain/jobs.ts'
import { Problem } from '../../domain/problem.ts'
import { findDraft, type PageDraft, saveDraft } from '../../domain/respondent/draft.ts'
import { findResponse, type SubmittedPage } from '../../domain/respondent/submit-page.ts'
import type { Answers, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { fromForm, fromStored, toStored } from '../../domain/structure/stored.ts'
import { formValues } from '../../domain/structure/write-answer.ts'
import { type Html, html, type Part, trusted } from '../../lib/html.ts'
import { fill } from '../../lib/texts.ts'
import { nameOf, setEmbeddedCookie } from '../cookie.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import { message } from '../layout/parts.ts'
import type { PageRequest, PageResult } from '../page.ts'
import { errorsByKey } from '../questions/render-context.ts'
import { parseResponseKey, pathFor, withoutPageState, withQuery } from './address.ts'
import { showPage } from './page.ts'
import { secondsToWait } from './rate-limit.ts'
import { hasEnded, type ResolvedRequest } from './resolve-request.ts'

/**
 * Stores the input of a rejected page as a draft and redirects to the URL that shows the draft. If the page were the
 * direct reply to the form, browsers would ask whether to submit the form again when the respondent returns to the
 * page.
 */
export async function redirectToDraft(
  resolved: ResolvedRequest,
  { key, stored, answers }: SubmittedPage,
  form: FormFields,
  draft: Omit<PageDraft, 'answers' | 'carried'>,
): Promise<PageResult> {
  const { request, snapshot, kept } = resolved
  const draftValues = {
    ...draft,
    values: stored ? notStored(snapshot.questionnaire, draft.values, answers) : draft.values,
    answers: stored ? {} : toStored(snapshot.questionnaire, answers),
    carried: stored ? {} : startFields(form),
  }
  const token = await saveDraft(request.context, { surveyId: snapshot.id, key }, formValue(form, '_draft'), draftValues)
  const path = pathFor(snapshot, key)
  if (stored) return { redirect: withQuery(path, { page: draft.page, ...kept, _draft: token }) }
  const search = withoutPageState(request.query)
  search.set('page', String(draft.page))
  search.set('_draft', token)
  return { redirect: `${path}?${search}` }
}

/** Returns the entered values without the texts that are stored as answers, which can be large. */
const notStored = (q: Questionnaire, values: PageDraft['values'], answers: Answers): PageDraft['values'] =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const field = q.byStoredKey.get(name)
      return !field || value === '' || answers[field.key] !== value
    }),
  )

/** Returns the hidden fields that keep the start time and the referrer until the response exists. */
export const startFields = (form: FormFields): Record<string, string> =>
  Object.fromEntries(
    ['_started', '_referrer'].flatMap((name) => {
      const value = formValue(form, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Shows a draft: the entered values, the errors, and the questions that the entered answers make visible. */
export async function showDraft(resolved: ResolvedRequest, draft: PageDraft): Promise<PageResult> {
  const { request, snapshot, stored, key } = resolved
  const { questionnaire: q } = snapshot
  const answers = stored?.answers ?? fromStored(q, draft.answers)
  return {
    page: await showPage(resolved, q.pages[Math.min(draft.page, q.pages.length) - 1]!, {
      key: key!,
      stored: stored !== undefined,
      answers,
      values: { ...formValues(q, answers, resolved.i18n.language), ...fromForm(q, draft.values) },
      errors: errorsByKey(draft.errors ?? []),
      more: draft.more,
      ...(draft.changed && { notStored: 'surveyChanged' as const }),
      carried: { ...draft.carried, _draft: request.query.get('_draft')! },
    }),
  }
}

/** Returns the draft that the URL names. */
export async function findRequestedDraft({ request, snapshot, key }: ResolvedRequest): Promise<PageDraft | undefined> {
  const token = request.query.get('_draft')
  return token === null || !key ? undefined : findDraft(request.context, { surveyId: snapshot.id, key }, token)
}

/** The form field with the address to which the link is sent. */
export const LINK_RECIPIENT = '_send_link_to'

/** The states of the page, in the parameter `saved`. */
type Sending = 'sent' | 'invalid' | 'failed'

/** Returns the path at which the respondent continues the response. */
const pathOf = ({ snapshot, stored, kept, panelQuery }: ResolvedRequest): string =>
  withQuery(pathFor(snapshot, stored!.key), { ...panelQuery, code: kept.code })

/**
 * Renders the link with which a respondent continues later: as text with a button that copies it, as QR code, and with
 * a form that sends it by email. An anonymous survey offers no email, because the address would identify its response.
 */
export function savedView(resolved: ResolvedRequest): Html {
  const { request, collector, i18n } = resolved
  const { texts } = i18n
  const path = pathOf(resolved)
  const url = request.context.services.baseUrl + path
  return html`
    ${message(
      i18n.text(texts.savedTitle),
      i18n.text(texts.saved),
      html`<a class="address" id="link" href="${path}">${url}</a>`,
      html`<button type="button" class="quiet" data-copy-link="link" data-copied="${texts.linkCopied}" hidden>
        ${i18n.text(texts.copyLink)}
      </button>`,
      html`<a class="button" href="${path}">${i18n.text(texts.continueNow)}</a>`,
    )}
    <section class="message saved">
      <p>${i18n.text(texts.qrCode)}</p>
      <div class="qr-code" aria-hidden="true">${trusted(renderSVG(url, { ecc: 'M', border: 4 }))}</div>
    </section>
    ${!collector.settings.anonymous && emailForm(resolved)}`
}

function emailForm(resolved: ResolvedRequest): Part {
  const { i18n, request } = resolved
  const { texts } = i18n
  const state = request.query.get('saved')
  if (state === 'sent') return html`<p class="notice" role="status">${i18n.text(texts.linkSent)}</p>`
  const error =
    state === 'invalid' ? i18n.text(texts.errors.invalid_email) : state === 'failed' && i18n.text(texts.linkNotSent)
  return html`<section class="message saved">
    <h2>${i18n.text(texts.emailLink)}</h2>
    <form method="post" action="${pathOf(resolved)}">
      <div class="question${error && ' invalid'}">
        <label class="question-label" for="send-link-to">${i18n.text(texts.emailAddress)}</label>
        ${error && html`<p class="error" id="send-link-e" role="alert">${error}</p>`}
        <input class="box" type="email" id="send-link-to" name="${LINK_RECIPIENT}" autocomplete="email"
            required${error && html` aria-invalid="true" aria-describedby="send-link-e"`}>
      </div>
      <div class="actions"><button>${i18n.text(texts.sendLink)}</button></div>
    </form>
  </section>`
}

/** Sends the link to the address that the respondent has entered. The job queue keeps the address for a day. */
export async function sendLink(resolved: ResolvedRequest, entered: string): Promise<PageResult> {
  const { request, snapshot, collector, i18n } = resolved
  const to = readEmailAddress(entered)
  const path = pathFor(snapshot, resolved.stored!.key)
  const reply = (saved: Sending): PageResult => ({ redirect: withQuery(path, { ...resolved.panelQuery, saved }) })
  if (collector.settings.anonymous) return { redirect: pathOf(resolved) }
  if (!isEmailAddress(to)) return reply('invalid')
  const { linkEmails } = request.context.services.limits
  if ((await secondsToWait(request, (network) => linkEmails.consume(network))) !== undefined) return reply('failed')
  try {
    await linkEmails.consume(to.toLowerCase())
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return reply('failed')
  }
  const { texts } = i18n
  await enqueue(request.context, 'send-system-email', {
    account: snapshot.ownerId,
    subject: fill(texts.linkSubject, { title: i18n.plainText(snapshot.questionnaire.title) }).replace(/\s+/g, ' '),
    text: `${texts.linkMail}\n\n${request.context.services.baseUrl}${pathOf(resolved)}\n`,
    to,
    toName: '',
    reference: randomUUID(),
  })
  return reply('sent')
}

/** The form field that starts a survey again in a browser that has started it. */
export const START_AGAIN = '_start_again'

/** The cookie that names the responses which the browser has started: `<survey>.<key>`, separated by `~`. */
const COOKIE = 'responses'
/** The browser sends the cookie with every request, so it names only the latest responses. */
const MAX_RESPONSES = 5
const LIFETIME_MS = 30 * 86_400_000

/**
 * Returns whether the browser offers to continue a response. A survey on a shared device does not, nor does an
 * anonymous survey that knows who opens it: the cookie would show which response is whose.
 */
const remembers = ({ collector: { settings }, invited }: ResolvedRequest): boolean =>
  !settings.kiosk && !invited && !(settings.anonymous && settings.custom_authentication.enabled)

function readCookie({ ctx, context }: PageRequest): [survey: string, key: string][] {
  const value = ctx.cookies.get(nameOf(context.services, COOKIE)) ?? ''
  return value.split('~').flatMap((entry): [string, string][] => {
    const [survey = '', key] = entry.split('.')
    return /^\d{1,15}$/.test(survey) && parseResponseKey(key) ? [[survey, key!]] : []
  })
}

function writeCookie({ ctx, context }: PageRequest, entries: readonly (readonly [string, string])[]): void {
  const value = entries.map((entry) => entry.join('.')).join('~')
  setEmbeddedCookie(
    ctx,
    context.services,
    nameOf(context.services, COOKIE),
    value || null,
    value ? LIFETIME_MS : undefined,
  )
}

/** Lets the browser offer to continue a response. */
export function rememberResponse(resolved: ResolvedRequest, key: Buffer): void {
  const { request, snapshot } = resolved
  const [survey, hex] = [String(snapshot.id), key.toString('hex')]
  const entries = readCookie(request)
  if (!remembers(resolved) || entries.some((entry) => entry[0] === survey && entry[1] === hex)) return
  const others = entries.filter(([other]) => other !== survey)
  writeCookie(request, [[survey, hex] as const, ...others].slice(0, MAX_RESPONSES))
}

/** Ends the offer to continue the response of a survey. */
export function forgetResponse({ request, snapshot }: Pick<ResolvedRequest, 'request' | 'snapshot'>): void {
  const entries = readCookie(request)
  const others = entries.filter(([survey]) => survey !== String(snapshot.id))
  if (others.length < entries.length) writeCookie(request, others)
}

/**
 * Returns the page that offers to continue the response that the browser has started, or to start again; undefined if
 * there is no incomplete response.
 */
export async function startedView(resolved: ResolvedRequest): Promise<Html | undefined> {
  const { request, snapshot, collector, i18n, address, requestedLanguage, panelQuery } = resolved
  const [, hex] = readCookie(request).find(([survey]) => survey === String(snapshot.id)) ?? []
  const key = parseResponseKey(hex)
  if (!key || !remembers(resolved)) return undefined
  const stored = await findResponse(request.context, snapshot, key)
  if (stored?.collectorId !== collector.id || hasEnded({ snapshot, stored })) return undefined
  const { texts } = i18n
  const path = withQuery(pathFor(snapshot, key), { ...panelQuery, lang: requestedLanguage })
  return html`
    ${message(
      i18n.text(texts.resumeTitle),
      i18n.text(texts.resumeText),
      html`<a class="button primary" href="${path}">${i18n.text(texts.resumeContinue)}</a>`,
    )}
    <form method="post" action="${address}" class="again">
      <button class="quiet" name="${START_AGAIN}" value="1">${i18n.text(texts.startAgain)}</button>
    </form>`
}
