import { randomUUID } from 'node:crypto'
import { renderSVG } from 'uqr'
import { isEmailAddress, readEmailAddress } from '../../domain/email-address.ts'
import { enqueue } from '../../domain/jobs.ts'
import { Problem } from '../../domain/problem.ts'
import { fill } from '../../domain/text/text.ts'
import { type Html, html, type Part, trusted } from '../../lib/html.ts'
import { message } from '../layout/message.ts'
import type { PageResult } from '../page.ts'
import { pathFor, withQuery } from './address.ts'
import { secondsToWait } from './rate-limit.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/** The form field with the address to which the link is sent. */
export const LINK_RECIPIENT = '_send_link_to'

/** The states of the page, in the parameter `saved`. */
type Sending = 'sent' | 'invalid' | 'failed'

/** Returns the path at which the respondent continues the response. */
const pathOf = ({ snapshot, stored, kept }: ResolvedRequest): string =>
  withQuery(pathFor(snapshot, stored!.key), { code: kept.code })

/**
 * Renders the link with which a respondent continues later: as text with a button that copies it, as QR code, and with
 * a form that sends it by email. An anonymous survey offers no email, because the address would identify its response.
 */
export function savedView(resolved: ResolvedRequest): Html {
  const { request, collector, i18n } = resolved
  const { texts } = i18n
  const path = pathOf(resolved)
  const url = request.context.services.baseUrl + path
  return html`${message(
    i18n.text(texts.savedTitle),
    i18n.text(texts.saved),
    html`<a class="address" id="link" href="${path}">${url}</a>`,
    html`<button type="button" class="quiet" data-copy-link="link" data-copied="${texts.linkCopied}" hidden>${i18n.text(texts.copyLink)}</button>`,
    html`<a class="button" href="${path}">${i18n.text(texts.continueNow)}</a>`,
  )}<section class="message saved"><p>${i18n.text(texts.qrCode)}</p><div class="qr-code" aria-hidden="true">${trusted(renderSVG(url, { ecc: 'M', border: 4 }))}</div></section>${!collector.settings.anonymous && emailForm(resolved)}`
}

function emailForm(resolved: ResolvedRequest): Part {
  const { i18n, request } = resolved
  const { texts } = i18n
  const state = request.query.get('saved')
  if (state === 'sent') return html`<p class="notice" role="status">${i18n.text(texts.linkSent)}</p>`
  const error =
    state === 'invalid' ? i18n.text(texts.errors.invalid_email) : state === 'failed' && i18n.text(texts.linkNotSent)
  return html`<section class="message saved"><h2>${i18n.text(texts.emailLink)}</h2><form method="post" action="${pathOf(resolved)}"><div class="question${error && ' invalid'}"><label class="question-label" for="send-link-to">${i18n.text(texts.emailAddress)}</label>${
    error && html`<p class="error" id="send-link-e" role="alert">${error}</p>`
  }<input class="box" type="email" id="send-link-to" name="${LINK_RECIPIENT}" autocomplete="email" required${error && html` aria-invalid="true" aria-describedby="send-link-e"`}></div><div class="actions"><button>${i18n.text(texts.sendLink)}</button></div></form></section>`
}

/** Sends the link to the address that the respondent has entered. The job queue keeps the address for a day. */
export async function sendLink(resolved: ResolvedRequest, entered: string): Promise<PageResult> {
  const { request, snapshot, collector, i18n } = resolved
  const to = readEmailAddress(entered)
  const reply = (saved: Sending): PageResult => ({ redirect: withQuery(pathOf(resolved), { saved }) })
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
