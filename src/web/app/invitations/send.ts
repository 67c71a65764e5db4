import { enqueueTestEmail } from '../../../domain/email/preview.ts'
import { remind, reminderOf } from '../../../domain/email/reminders.ts'
import { sendAgain, sendEmail, sendEmailAt, unscheduleEmail } from '../../../domain/email/send.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { backView, emailPath, findSurveyEmail, noMailView } from './frame.ts'
import { emailPage, readSchedule } from './show.ts'

const FIELDS = ['weeks', 'days', 'hours', 'minutes', 'date', 'time', 'scheduled']

/** Sends or schedules a draft. */
export async function sendDraft(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  const { form, context } = request
  return formPage(request, {
    fields: FIELDS,
    act: async (inside) => {
      const when = readSchedule(form, context.now)
      if ('at' in when) await sendEmailAt(inside, email.id, when.at)
      else await sendEmail(inside, email.id, 'after' in when ? when.after : undefined)
      return when
    },
    view: (rejected) => emailPage(request, rejected),
    done: (when) => ({
      redirect: emailPath(request, email),
      flash: 'now' in when ? t('Sending the invitation.') : t('Invitation scheduled.'),
    }),
  })
}

/** Turns a scheduled email into a draft again. */
export async function cancelSending(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  await request.write((context) => unscheduleEmail(context, email.id))
  request.flash(t('Sending cancelled. No messages were sent.'))
  return { redirect: emailPath(request, email) }
}

/** Sends an email again to the recipients whose messages failed. */
export async function sendToFailed(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  await request.write((context) => sendAgain(context, email.id))
  request.flash(t('Sending again.'))
  return { redirect: emailPath(request, email) }
}

/** Sends a test email to the user. */
export async function sendTest(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  await request.write((context) => enqueueTestEmail(context, email.id))
  request.flash(t('Sending a test email to {email}.', { email: request.context.actor.email }))
  return { redirect: emailPath(request, email) }
}

export async function showReminder(request: SurveyRequest): Promise<PageResult> {
  return remindPage(request, await reminderOf(request.context, await findSurveyEmail(request)))
}

async function remindPage(
  request: SurveyRequest,
  values: { subject: string; message: string },
  rejected?: FormErrors,
): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  const errors = rejected?.errors
  return request.render({
    title: t('Send a reminder'),
    beforeHeading: backView(request, email),
    content: html`
      ${noMailView(request)}
      <section class="card" aria-label="Reminder">
        ${alert(rejected?.general)}
        <p class="soft">
          When you select “Send reminder”, the reminder is sent to everyone who received the email “${email.subject}”
          and has not completed the survey. Their links do not change.
        </p>
        ${
          Object.keys(email.translations).length > 0 &&
          html`<p class="soft">
            Recipients who got the email in another language get the standard reminder in that language.
          </p>`
        }
        <form method="post">
          ${csrfField(request.csrf)}
          ${field({ name: 'subject', label: t('Subject'), value: values.subject, required: true, errors })}
          ${textArea({ name: 'message', label: t('Message'), value: values.message, prose: true, errors })}
          <div class="actions">
            <button class="primary">Send reminder</button>
            <a class="button plain" href="${emailPath(request, email)}">Cancel</a>
          </div>
        </form>
      </section>`,
  })
}

export async function sendReminder(request: SurveyRequest): Promise<PageResult> {
  const { id } = await findSurveyEmail(request)
  const values = {
    subject: formValue(request.form, 'subject') ?? '',
    message: (formValue(request.form, 'message') ?? '').replaceAll('\r\n', '\n'),
  }
  return formPage(request, {
    fields: ['subject', 'message'],
    act: (context) => remind(context, id, values),
    view: (rejected) => remindPage(request, values, rejected),
    done: (reminder) => ({ redirect: emailPath(request, reminder), flash: t('Sending the reminder.') }),
  })
}
