import { type Funnel, funnelOf } from '../../../domain/email/funnel.ts'
import type { EmailSummary } from '../../../domain/email/queries.ts'
import { MAX_REMIND_AFTER_DAYS, MAX_REMIND_TIMES, scheduleReminders } from '../../../domain/email/reminders.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/pluralize.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { barView } from '../surveys/statistics-view.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { emailPath, findSurveyEmail } from './frame.ts'
import { emailPage } from './show.ts'

/**
 * Renders the automatic reminders of an invitation, and the form that changes them. Renders nothing for an email that
 * is itself a reminder.
 */
export function remindersView(
  { csrf, form }: SurveyRequest,
  email: EmailSummary,
  path: string,
  rejected?: FormErrors,
): Part {
  if (email.reminderOf !== null) return null
  const errors = rejected?.errors ?? new Map()
  const value = (name: string, stored: number | null) => formValue(form, name) ?? (stored ? String(stored) : '')
  const number = (name: string, label: string, stored: number | null, max: number, hint: string) =>
    field({
      name,
      label,
      type: 'number',
      value: value(name, stored),
      hint,
      attributes: html` min="1" max="${max}" inputmode="numeric"`,
      errors,
    })
  return html`<section class="card" id="reminders" aria-labelledby="reminders-title"><h2 id="reminders-title">Automatic reminders</h2>
<p class="soft">${stateOf(email)}</p>
<form method="post" action="${path}reminders/">${csrfField(csrf)}<div class="pair">${number('remind_after_days', t('Days between reminders'), email.remindAfterDays, MAX_REMIND_AFTER_DAYS, t('The first reminder is sent this many days after the invitation. Leave blank for no reminders.'))}${number('remind_times', t('Maximum number of reminders'), email.remindTimes, MAX_REMIND_TIMES, t('Leave blank for 1 reminder. Only people who have not completed the survey get a reminder.'))}</div><button>Save reminders</button></form></section>`
}

function stateOf({ status, remindAfterDays, remindTimes, remindersSent, nextReminderAt }: EmailSummary): Html {
  const sent = remindersSent > 0 && html`${pluralize(remindersSent, 'reminder')} sent. `
  if (remindAfterDays === null) return html`${sent}No reminders are planned.`
  if (nextReminderAt) return html`${sent}Next reminder: ${timeTag(nextReminderAt)}.`
  if (status === 'draft')
    return html`Interval: ${pluralize(remindAfterDays, 'day')}, at most ${pluralize(remindTimes, 'reminder')}.`
  return html`${sent}No further reminder: all are sent, everybody has answered, or the survey is closed.`
}

/** Saves the automatic reminders of an invitation. */
export async function saveReminders(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  const number = (name: string) => (formValue(request.form, name) ?? '').trim()
  const days = number('remind_after_days')
  const schedule = { afterDays: days === '' ? null : Number(days), times: Number(number('remind_times') || 1) }
  try {
    await request.write((context) => scheduleReminders(context, email.id, schedule))
  } catch (error) {
    const rejected = fieldErrorsOf(request.toProblem(error), ['remind_after_days', 'remind_times'])
    return emailPage(request, undefined, rejected)
  }
  request.flash(t('Reminders saved.'))
  return { redirect: `${emailPath(request, email)}#reminders` }
}

const STEPS: () => readonly (readonly [keyof Funnel, string])[] = perLanguage(() => [
  ['sent', t('Sent')],
  ['delivered', t('Accepted')],
  ['opened', t('Opened the survey')],
  ['started', t('Started')],
  ['completed', t('Completed')],
])

/** Renders how many recipients of an email reached each step, such as opening the survey. */
export async function funnelView({ context }: SurveyRequest, email: EmailSummary): Promise<Part> {
  if (email.status === 'draft') return null
  const funnel = await funnelOf(context, email)
  const percent = (count: number) => (funnel.sent > 0 ? `${Math.round((100 * count) / funnel.sent)}%` : '–')
  const row = (label: string, count: number) =>
    html`<tr><th scope="row">${label}</th><td>${count.toLocaleString(pageLanguage())}</td><td class="bar-cell">${barView(funnel.sent > 0 ? count / funnel.sent : 0)}</td><td>${percent(count)}</td></tr>`
  return html`<section class="card"><h2 id="funnel">Funnel</h2><div class="data-table" tabindex="0" role="region" aria-labelledby="funnel"><table class="drop-off"><thead><tr><th scope="col">Step</th><th scope="col">Recipients</th><td></td><th scope="col">Share of sent emails</th></tr></thead>
<tbody>${STEPS().map(([name, label]) => row(label, funnel[name]))}${funnel.bounced > 0 && row(t('Bounced or failed'), funnel.bounced)}</tbody></table></div></section>`
}
