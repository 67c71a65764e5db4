import type { EmailSummary } from '../../../domain/email/queries.ts'
import { type Html, html, linkedText, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import type { FormErrors } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/pluralize.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import {
  backView,
  emailPath,
  findSurveyEmail,
  holdView,
  isWaiting,
  noMailView,
  progressView,
  refreshAttribute,
  scheduleView,
  statusTag,
} from './frame.ts'
import { funnelView, remindersView } from './reminders.ts'
import { sendForm } from './send-form.ts'
import { recipientsProgress } from './timeline.ts'

export const showEmail = (request: SurveyRequest): Promise<PageResult> => emailPage(request)

/** Renders an email: its details, actions, message and recipients. */
export async function emailPage(
  request: SurveyRequest,
  rejected?: FormErrors,
  rejectedReminders?: FormErrors,
): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  const path = emailPath(request, email)
  const isDraft = email.status === 'draft'
  return request.render(
    {
      title: email.subject,
      scripts: ['under-way.js'],
      beforeHeading: backView(request),
      content: html`${noMailView(request)}${detailsView(request, email, path)}
${await funnelView(request, email)}${remindersView(request, email, path, rejectedReminders)}${isDraft && email.recipients > 0 && sendForm(request, `${path}send/`, email.recipients, rejected)}
<section class="card" aria-labelledby="text"><h2 id="text">Message</h2><div class="message-body">${linkedText(email.message)}${email.footer && html`<hr>${linkedText(email.footer)}`}</div></section>
${!isDraft && (await recipientsProgress(request, email, path))}`,
    },
    rejected || rejectedReminders ? 422 : 200,
  )
}

/** Renders the details and actions of an email. */
function detailsView(request: SurveyRequest, email: EmailSummary, path: string): Html {
  const { csrf, context } = request
  const post = (action: string, label: string, classes: string) =>
    html`<form method="post" action="${path}${action}/">${csrfField(csrf)}<button class="${classes}">${label}</button></form>`
  const link = (to: string, label: string, classes = 'plain') =>
    html`<a class="button small ${classes}" href="${path}${to}/">${label}</a>`
  const isDraft = email.status === 'draft'
  const parts: Part[] = [
    isDraft &&
      link(
        'recipients',
        email.recipients > 0 ? t('Recipients') : t('Choose recipients'),
        email.recipients > 0 ? 'plain' : '',
      ),
    isDraft && link('edit', t('Edit')),
    link('preview', t('Preview')),
    post('test', t('Send test email'), 'small'),
    email.failed > 0
      ? post('resend', t('Send again to failed recipients'), 'small')
      : email.hold && post('resend', t('Try again now'), 'small'),
    isWaiting(email, context.now) && post('unschedule', t('Cancel sending'), 'small'),
    !isDraft && email.sent > 0 && link('remind', t('Remind…')),
    (isDraft || isWaiting(email, context.now)) && link('delete', t('Delete…'), 'plain danger'),
  ]
  return html`<section class="card" id="sending" aria-labelledby="state"${refreshAttribute(email, context.now)}>${holdView(email)}<div class="line"><h2 id="state">Details</h2>${statusTag(email, context.now)}</div>
<dl class="facts"><dt>From</dt><dd>${email.sender}</dd><dt>To</dt><dd>${pluralize(email.recipients, 'recipient')}</dd>
${email.scheduledAt && html`<dt>Schedule</dt><dd>${scheduleView(email, context.now)}</dd>`}<dt>Created</dt><dd>${timeTag(email.createdAt)}</dd></dl>
${progressView(email)}<div class="row-actions">${parts}</div></section>`
}
