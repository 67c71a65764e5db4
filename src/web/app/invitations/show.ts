import { type Funnel, funnelOf, listMessages, type MessageSummary } from '../../../domain/email/progress.ts'
import type { EmailSummary } from '../../../domain/email/queries.ts'
import { MAX_REMIND_AFTER_DAYS, MAX_REMIND_TIMES, scheduleReminders } from '../../../domain/email/reminders.ts'
import { detail } from '../../../domain/error-details.ts'
import { problems } from '../../../domain/problem.ts'
import type { Services } from '../../../domain/services.ts'
import { type Html, html, linkedText, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { momentOf } from '../../../lib/time-zone.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, localValue, zoneField } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { pageLanguage, pageLocale, zoneName } from '../../i18n/page-locale.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { capitalize, pluralize, timeTag } from '../../layout/format.ts'
import { pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { barView } from '../surveys/show.ts'
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
  sentLabel,
  statusTag,
} from './frame.ts'

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
  return request.render({
    title: email.subject,
    scripts: ['under-way.js'],
    beforeHeading: backView(request),
    content: html`
      ${noMailView(request)}
      ${detailsView(request, email, path)}
      ${await funnelView(request, email)}
      ${isDraft && email.recipients > 0 && sendForm(request, `${path}send/`, email.recipients, rejected)}
      ${remindersView(request, email, path, rejectedReminders)}
      <section class="card" aria-labelledby="text">
        <h2 id="text">Message</h2>
        ${
          Object.keys(email.translations).length > 0 &&
          html`<p class="soft">
            Also in ${Object.keys(email.translations).join(', ')}. The preview shows each language.
          </p>`
        }
        <div class="message-body">
          ${linkedText(email.message)}
          ${email.footer && html`<hr>${linkedText(email.footer)}`}
        </div>
      </section>
      ${!isDraft && (await recipientsProgress(request, email, path))}`,
  })
}

/** Renders the details and actions of an email. */
function detailsView(request: SurveyRequest, email: EmailSummary, path: string): Html {
  const { csrf, context } = request
  const post = (action: string, label: string, classes: string) =>
    html`<form method="post" action="${path}${action}/">
      ${csrfField(csrf)}
      <button class="${classes}">${label}</button>
    </form>`
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
  return html`<section class="card" id="sending" aria-labelledby="state"${refreshAttribute(email, context.now)}>
    ${holdView(email)}
    <div class="line"><h2 id="state">Details</h2>${statusTag(email, context)}</div>
    <dl class="facts">
      <dt>From</dt>
      <dd>${email.sender}</dd>
      <dt>To</dt>
      <dd>${pluralize(email.recipients, 'recipient')}</dd>
      ${email.scheduledAt && html`<dt>Schedule</dt><dd>${scheduleView(email, context)}</dd>`}
      <dt>Created</dt>
      <dd>${timeTag(email.createdAt)}</dd>
    </dl>
    ${progressView(email, context)}
    <div class="row-actions">${parts}</div>
  </section>`
}

const PAGE_SIZE = 50

/** Renders the recipients with the progress of their messages. */
async function recipientsProgress(
  { context, query, may, root }: SurveyRequest,
  email: EmailSummary,
  path: string,
): Promise<Html> {
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, messages } = await listMessages(context, email.id, page)
  const responses = may('View') ? `${root}responses/` : undefined
  return html`
    <section class="card" id="timeline" aria-labelledby="recipients"${refreshAttribute(email, context.now)}>
      <h2 id="recipients">Recipients</h2>
      <ul class="rows">${messages.map((message) => messageRow(message, responses, context.services))}</ul>
    </section>
    ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}`
}

/**
 * Renders a recipient and the steps that the message to this recipient has reached.
 * @param responses the path of the list of responses; undefined if the user may not see responses
 */
const messageRow = (message: MessageSummary, responses: string | undefined, services: Services): Html =>
  html`<li>
    <div class="grow">
      <strong>${message.name || t('Deleted contact')}</strong> <span class="soft">
        ${message.email !== message.name && message.email}
      </span>
      <ol class="steps">
        ${steps(message, services).map(
          ({ label, at, bad }) =>
            html`<li${bad && html` class="bad"`}>${label}${at && html` <span class="soft">${timeTag(at)}</span>`}</li>`,
        )}
      </ol>
    </div>
    ${
      responses &&
      message.responseId !== null &&
      html`<a href="${responses}${message.responseId}/">Response<span class="hidden"> of ${message.name}</span></a>`
    }
  </li>`

interface Step {
  label: string
  at?: Date | null
  bad?: boolean
}

/** Returns the steps that a message and its invitation have reached, in the order in which they usually happen. */
function steps(
  { state, attempts, error, nextAt, sentAt, status, viewedAt, bouncedAt, unsubscribedAt, completedAt }: MessageSummary,
  services: Services,
): Step[] {
  const reason = error ? `: ${error}` : ''
  const attemptsText =
    attempts > 0 ? t(' after {attempts}{reason}', { attempts: pluralize(attempts, 'attempt'), reason }) : ''
  const stepByState: Readonly<Record<MessageSummary['state'], Step>> = {
    added: { label: t('Added') },
    queued: { label: t('Pending{attemptsText}. Next attempt:', { attemptsText }), at: nextAt },
    sending: { label: t('Sending') },
    sent: { label: sentLabel(services), at: sentAt },
    failed: { label: t('Failed{reason}', { reason }), at: bouncedAt, bad: true },
    bounced: { label: t('Bounced{reason}', { reason }), at: bouncedAt, bad: true },
    skipped: { label: t('Skipped: unsubscribed or deleted') },
  }
  return [
    stepByState[state],
    ...(viewedAt ? [{ label: t('Viewed the survey'), at: viewedAt }] : []),
    ...(status === 'Incomplete' ? [{ label: t('Started the survey') }] : []),
    ...(status === 'Completed' ? [{ label: t('Completed'), at: completedAt }] : []),
    ...(unsubscribedAt ? [{ label: t('Unsubscribed'), at: unsubscribedAt }] : []),
  ]
}

/**
 * Renders the form that sends a draft now, after a delay, or at a time.
 * @param action the address to which the form is submitted
 */
function sendForm(
  { csrf, form, context }: SurveyRequest,
  action: string,
  recipients: number,
  rejected?: FormErrors,
): Html {
  const errors = rejected?.errors
  const submitted = (name: string) => formValue(form, name) ?? ''
  const chosen = rejected ? submitted('when') || 'now' : 'now'
  const radio = (name: string, label: string) =>
    html`<label class="option">
      <input type="radio" name="when" id="when-${name}" value="${name}"${name === chosen && html` checked`}> ${label}
    </label>`
  const input = (name: string, type: string, label: string, more: Html) =>
    html`<div>
      <label for="${name}">${label}</label>
      <input class="box" id="${name}" name="${name}" type="${type}"
          value="${submitted(name)}"${errors?.has(name) && html` aria-invalid="true"`}${more}>
    </div>`
  const now = localValue(context.now)
  const fieldError = ['weeks', 'days', 'hours', 'minutes', 'date', 'time', 'scheduled']
    .map((name) => errors?.get(name))
    .find(Boolean)
  return html`<section class="card when" aria-labelledby="send">
    <h2 id="send">Send invitation</h2>
    ${alert(rejected?.general)}
    <form method="post" action="${action}">
      ${csrfField(csrf)}
      ${zoneField()}
      <fieldset>
        <legend class="soft">To ${pluralize(recipients, 'recipient')}</legend>
        ${fieldError && html`<p class="error" role="alert">${fieldError}</p>`}
        ${radio('now', t('Now'))}
        ${radio('after', t('After a delay'))}
        <div class="after parts">
          ${units.map(({ name }) =>
            input(name, 'number', t(capitalize(name)), html` min="0" max="99999" inputmode="numeric"`),
          )}
        </div>
        ${radio('at', t('On a date'))}
        <div class="at parts">
          ${input('date', 'date', t('Date'), html` min="${now.slice(0, 10)}" aria-describedby="zone"`)}
          ${input('time', 'time', t('Time ({zone})', { zone: zoneName() }), html` aria-describedby="zone"`)}
        </div>
        <p class="hint at" id="zone">
          ${t('Times are in the time zone {zone}. It is now {time}.', { zone: zoneName(), time: now.slice(11, 16) })}
        </p>
      </fieldset>
      <button class="primary">Send</button>
    </form>
  </section>`
}

/** The time of sending: now, after a delay such as `1w2d`, or at a time. */
type Schedule = { now: true } | { after: string } | { at: Date }

/** Units of a delay, with the abbreviations that the domain uses for them. */
const units = [
  { name: 'weeks', unit: 'w' },
  { name: 'days', unit: 'd' },
  { name: 'hours', unit: 'h' },
  { name: 'minutes', unit: 'm' },
] as const

/**
 * Reads the form for the time of sending.
 * @throws {Problem} `invalid_request` with the name of the invalid form field: a unit such as `weeks`, or `date` or
 *   `time`
 */
export function readSchedule(form: FormFields, now: Date): Schedule {
  const chosen = formValue(form, 'when')
  if (chosen === 'after') return { after: readDelay(form) }
  return chosen === 'at' ? { at: readTime(form, now) } : { now: true }
}

function readDelay(form: FormFields): string {
  const parts = units.map(({ name, unit }) => {
    const text = (formValue(form, name) ?? '').trim()
    if (!/^\d{0,5}$/.test(text)) throw problems.invalidField(name, 'not_an_integer')
    return Number(text) > 0 ? `${Number(text)}${unit}` : ''
  })
  const delay = parts.join('')
  if (!delay) throw problems.invalidField('minutes', 'too_small', { min: 1 }, detail('minutes'))
  return delay
}

/** Reads a date and a time of day in the time zone of the page. */
function readTime(form: FormFields, now: Date): Date {
  const date = (formValue(form, 'date') ?? '').trim()
  const time = (formValue(form, 'time') ?? '').trim()
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw problems.invalidField('date', 'invalid_date')
  if (!/^\d{2}:\d{2}(:\d{2})?$/.test(time)) throw problems.invalidField('time', 'invalid_time', { example: '09:30' })
  const scheduledAt = momentOf(`${date}T${time}`, pageLocale().timeZone)
  if (!scheduledAt) throw problems.invalidField('date', 'invalid_date', {}, detail('real_date'))
  if (scheduledAt < now) throw problems.invalidField('date', 'invalid_date', {}, detail('in_the_future'))
  return scheduledAt
}

/**
 * Renders the automatic reminders of an invitation, and the form that changes them. Renders nothing for an email that
 * is itself a reminder.
 */
function remindersView({ csrf, form }: SurveyRequest, email: EmailSummary, path: string, rejected?: FormErrors): Part {
  if (email.reminderOf !== null) return null
  const errors = rejected?.errors
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
  return html`<section class="card" id="reminders" aria-labelledby="reminders-title">
    <h2 id="reminders-title">Automatic reminders</h2>
    <p class="soft">${stateOf(email)}</p>
    <form method="post" action="${path}reminders/">
      ${csrfField(csrf)}
      <div class="pair">
        ${number(
          'remind_after_days',
          t('Days between reminders'),
          email.remindAfterDays,
          MAX_REMIND_AFTER_DAYS,
          t('The first reminder is sent this many days after the invitation. Leave blank for no reminders.'),
        )}
        ${number(
          'remind_times',
          t('Maximum number of reminders'),
          email.remindTimes,
          MAX_REMIND_TIMES,
          t('Leave blank for 1 reminder. Only people who have not completed the survey get a reminder.'),
        )}
      </div>
      <button>Save reminders</button>
    </form>
  </section>`
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
  return formPage(request, {
    fields: ['remind_after_days', 'remind_times'],
    act: (context) => scheduleReminders(context, email.id, schedule),
    view: (rejected) => emailPage(request, undefined, rejected),
    done: () => ({ redirect: `${emailPath(request, email)}#reminders`, flash: t('Reminders saved.') }),
  })
}

const STEPS: () => readonly (readonly [keyof Funnel, string])[] = perLanguage(() => [
  ['sent', t('Sent')],
  ['delivered', t('Accepted')],
  ['opened', t('Opened the survey')],
  ['started', t('Started')],
  ['completed', t('Completed')],
])

/** Renders how many recipients of an email reached each step, such as opening the survey. */
async function funnelView({ context }: SurveyRequest, email: EmailSummary): Promise<Part> {
  if (email.status === 'draft') return null
  const funnel = await funnelOf(context, email)
  const percent = (count: number) => (funnel.sent > 0 ? `${Math.round((100 * count) / funnel.sent)}%` : '–')
  const row = (label: string, count: number) =>
    html`<tr>
      <th scope="row">${label}</th>
      <td>${count.toLocaleString(pageLanguage())}</td>
      <td class="bar-cell">${barView(funnel.sent > 0 ? count / funnel.sent : 0)}</td>
      <td>${percent(count)}</td>
    </tr>`
  return html`<section class="card">
    <h2 id="funnel">Funnel</h2>
    <div class="data-table" tabindex="0" role="region" aria-labelledby="funnel">
      <table class="drop-off">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Recipients</th>
            <td></td>
            <th scope="col">Share of sent emails</th>
          </tr>
        </thead>
        <tbody>
          ${STEPS()
            .filter(([name]) => context.services.hasMailServer || name !== 'delivered')
            .map(([name, label]) => row(name === 'sent' ? sentLabel(context.services) : label, funnel[name]))}
          ${funnel.bounced > 0 && row(t('Bounced or failed'), funnel.bounced)}
        </tbody>
      </table>
    </div>
  </section>`
}
