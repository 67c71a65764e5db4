import type { PublicContext } from '../../../domain/context.ts'
import { type EmailSummary, summariseEmail } from '../../../domain/email/queries.ts'
import { problems } from '../../../domain/problem.ts'
import type { Services } from '../../../domain/services.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { LinkedProblem } from '../../errors/error-page.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** Returns the path of the list of invitations. */
export const invitationsPath = ({ root }: SurveyRequest): string => `${root}invitations/`
export const emailPath = (request: SurveyRequest, { id }: Pick<EmailSummary, 'id'>): string =>
  `${invitationsPath(request)}${id}/`

/**
 * Finds the email that the URL identifies.
 * @throws {Problem} `email_not_found`, even if the email exists but belongs to another survey
 */
export async function findSurveyEmail({ context, params, survey }: SurveyRequest): Promise<EmailSummary> {
  const email = await summariseEmail(context, parseId(params.email))
  if (email.surveyId !== survey.id) throw problems.emailNotFound()
  return email
}

/**
 * Finds the draft that the URL identifies.
 * @throws {Problem} `email_sent` if the email is no longer a draft
 */
export async function findDraft(request: SurveyRequest): Promise<EmailSummary> {
  const email = await findSurveyEmail(request)
  if (email.status !== 'draft')
    throw new LinkedProblem(problems.emailSent(), { path: emailPath(request, email), label: email.subject })
  return email
}

/** Returns whether an email is scheduled for a later time, and no message has been sent or has failed. */
export const isWaiting = ({ status, scheduledAt, sent, failed }: EmailSummary, now: Date): boolean =>
  status === 'scheduled' && scheduledAt !== null && scheduledAt > now && sent + failed === 0

/** Returns an attribute that makes under-way.js refresh a part of the page while the email is being sent. */
export const refreshAttribute = (email: EmailSummary, now: Date): Html | false =>
  email.status === 'scheduled' && !isWaiting(email, now) && html` data-under-way`

/** Returns what the pages call a message that left the queue: without a mail server, it was not sent to anyone. */
export const sentLabel = ({ hasMailServer }: Services): string => (hasMailServer ? t('Sent') : t('Kept, not sent'))

/** Renders the status of an email as a tag. */
export function statusTag(email: EmailSummary, { now, services }: PublicContext): Html {
  if (email.status === 'draft') return html`<span class="tag">Draft</span>`
  if (email.status === 'sent')
    return html`<span class="tag ${services.hasMailServer ? 'good' : 'open'}">${sentLabel(services)}</span>`
  return html`<span class="tag">${isWaiting(email, now) ? t('Scheduled') : t('Sending')}</span>`
}

/**
 * Renders the progress of sending an email: the number of messages in each state, and a progress bar until all messages
 * are sent.
 */
export function progressView(
  { recipients, sent, failed, skipped, status, subject }: EmailSummary,
  { services }: PublicContext,
): Part {
  if (status === 'draft') return null
  const done = sent + failed + skipped
  const counts = {
    sent: sent.toLocaleString(pageLanguage()),
    recipients: recipients.toLocaleString(pageLanguage()),
  }
  const parts = [
    services.hasMailServer
      ? t('{sent} of {recipients} sent', counts)
      : t('{sent} of {recipients} kept, none sent', counts),
    failed > 0 && t('{failed} failed', { failed: failed.toLocaleString(pageLanguage()) }),
    skipped > 0 && t('{skipped} skipped', { skipped: skipped.toLocaleString(pageLanguage()) }),
  ].filter(Boolean)
  return html`
    ${
      status === 'scheduled' &&
      html`<progress max="${recipients}" value="${done}" aria-label="Progress of sending ${subject}">
        ${done} of ${recipients}
      </progress>`
    }
    <p class="soft">${parts.join(', ')}</p>`
}

/** Renders the time at which an email was created, is scheduled, or was sent. */
export const scheduleView = (
  { status, scheduledAt, createdAt }: EmailSummary,
  { now, services }: PublicContext,
): Html => {
  if (status === 'draft' || !scheduledAt) return html`created ${timeTag(createdAt)}`
  const done = services.hasMailServer ? t('sent') : t('kept')
  const label = scheduledAt > now ? t('scheduled for') : status === 'sent' ? done : t('sending since')
  return html`${label} ${timeTag(scheduledAt)}`
}

/** Renders the tabs for emails and codes. */
export const tabsView = (request: SurveyRequest, current: 'emails' | 'codes'): Html =>
  html`<nav class="subtabs" aria-label="Invitations">
    <ul>
      <li><a href="${invitationsPath(request)}"${current === 'emails' && html` aria-current="page"`}>Email</a></li>
      <li><a href="${invitationsPath(request)}codes/"${current === 'codes' && html` aria-current="page"`}>Codes</a></li>
    </ul>
  </nav>`

/** Warns that nobody receives the emails of this server; null if it has a mail server. */
export function noMailView({ context: { services } }: SurveyRequest): Part {
  if (services.hasMailServer) return null
  return services.deliversMail
    ? html`<p class="alert">
      No mail server is set up. Messages are kept in the <a href="/dev/outbox/">development mailbox</a> of this server,
      and no one receives them.
    </p>`
    : html`<p class="alert">
      No mail server is set up, so this server cannot send invitations. Ask its administrator to
      set <code>SMTP_URL</code>.
    </p>`
}

/** Renders why sending has stopped; null if it has not. */
export function holdView({ hold }: EmailSummary): Part {
  if (!hold) return null
  const sentences = {
    limited: t('The mail server limits how many messages it takes. The remaining messages wait, and none is lost.'),
    refused: t(
      'The mail server refuses messages of this server, so sending has stopped. The remaining messages wait, and none is lost. Ask the administrator of this server to read the reply of the mail server.',
    ),
    misconfigured: t(
      'This server cannot use its mail server, so sending has stopped. The remaining messages wait, and none is lost. Ask the administrator of this server to run “canvass doctor”.',
    ),
  }
  return html`<div class="alert">
    <p>${sentences[hold.failure]}</p>
    <p><code>${hold.reply}</code></p>
    <p class="soft">Next attempt: ${timeTag(new Date(hold.until))}</p>
  </div>`
}

/** Renders the back link, which leads to the email or to the list of invitations. */
export const backView = (request: SurveyRequest, email?: EmailSummary): Html =>
  email ? backLink(emailPath(request, email), email.subject) : backLink(invitationsPath(request), t('All invitations'))
