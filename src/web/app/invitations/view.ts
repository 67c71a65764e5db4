import { type EmailSummary, summariseEmail } from '../../../domain/email/queries.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { backLink } from '../../layout/back-link.ts'
import { timeTag } from '../../layout/time-tag.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/frame.ts'

/** Where the invitations of a survey begin. */
export const rootOf = ({ root }: SurveyRequest): string => `${root}invitations/`
export const pathOf = (request: SurveyRequest, { id }: Pick<EmailSummary, 'id'>): string => `${rootOf(request)}${id}/`

/** The e-mail that the address names, if it invites to the survey that the address names. @throws {Problem} `email_not_found` */
export async function emailIn({ context, params, survey }: SurveyRequest): Promise<EmailSummary> {
  const email = await summariseEmail(context, parseId(params.email))
  if (email.surveyId !== survey.id) throw problems.emailNotFound()
  return email
}

/** The same as long as it can be changed. @throws {Problem} `email_sent` */
export async function draftIn(request: SurveyRequest): Promise<EmailSummary> {
  const email = await emailIn(request)
  if (email.status !== 'draft') throw problems.emailSent()
  return email
}

/** Whether none of its messages is finished yet, as far as counts tell. */
export const isWaiting = ({ status, scheduledAt, sent, failed }: EmailSummary, now: Date): boolean =>
  status === 'scheduled' && scheduledAt !== null && scheduledAt > now && sent + failed === 0

/** Marks a part of a page as one that changes by itself (asset/under-way.js) while an e-mail is being sent. */
export const underWay = (email: EmailSummary, now: Date): Html | false =>
  email.status === 'scheduled' && !isWaiting(email, now) && html` data-under-way`

/** What has become of an e-mail, in a word or two. */
export function stateView(email: EmailSummary, now: Date): Html {
  if (email.status === 'draft') return html`<span class="tag">Draft</span>`
  if (email.status === 'sent') return html`<span class="tag good">Sent</span>`
  return html`<span class="tag">${isWaiting(email, now) ? 'Scheduled' : 'Sending'}</span>`
}

/** How far the sending has come: a bar while it goes on, and the numbers. */
export function progressView({ recipients, sent, failed, skipped, status, subject }: EmailSummary): Part {
  if (status === 'draft') return null
  const done = sent + failed + skipped
  const parts = [
    `${sent.toLocaleString('en')} of ${recipients.toLocaleString('en')} sent`,
    failed > 0 && `${failed.toLocaleString('en')} failed`,
    skipped > 0 && `${skipped.toLocaleString('en')} skipped`,
  ].filter(Boolean)
  return html`${
    status === 'scheduled' &&
    html`<progress max="${recipients}" value="${done}" aria-label="Sending of ${subject}">${done} of ${recipients}</progress>`
  }<p class="soft">${parts.join(', ')}</p>`
}

/** When it goes or went out, or was written. */
export const whenView = ({ status, scheduledAt, createdAt }: EmailSummary, now: Date): Html => {
  if (status === 'draft' || !scheduledAt) return html`created ${timeTag(createdAt)}`
  return html`${scheduledAt > now ? 'scheduled for' : 'sent'} ${timeTag(scheduledAt)}`
}

/** The two kinds of invitation. */
export const kindsView = (request: SurveyRequest, current: 'emails' | 'codes'): Html =>
  html`<nav class="kinds" aria-label="Invitations"><ul><li><a href="${rootOf(request)}"${current === 'emails' && html` aria-current="page"`}>Email</a></li>
<li><a href="${rootOf(request)}codes/"${current === 'codes' && html` aria-current="page"`}>Codes</a></li></ul></nav>`

/** Above what belongs to one e-mail. */
export const backView = (request: SurveyRequest, email?: EmailSummary): Html =>
  email ? backLink(pathOf(request, email), email.subject) : backLink(rootOf(request), 'All invitations')
