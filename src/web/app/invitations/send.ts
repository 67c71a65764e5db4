import { sendEmail, sendEmailAt } from '../../../domain/email/send.ts'
import { sendAgain } from '../../../domain/email/send-again.ts'
import { enqueueTestEmail } from '../../../domain/email/test-email.ts'
import { unscheduleEmail } from '../../../domain/email/unschedule.ts'
import { fieldErrorsOf } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { emailPath, findSurveyEmail } from './frame.ts'
import { readSchedule } from './schedule.ts'
import { emailPage } from './show.ts'

const FIELDS = ['weeks', 'days', 'hours', 'minutes', 'date', 'time', 'scheduled']

/** Sends or schedules a draft. */
export async function sendDraft(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  const { form, context } = request
  try {
    const when = readSchedule(form, context.now)
    await request.write((inside) =>
      'at' in when
        ? sendEmailAt(inside, email.id, when.at)
        : sendEmail(inside, email.id, 'after' in when ? when.after : undefined),
    )
    request.flash('now' in when ? t('Sending the invitation.') : t('Invitation scheduled.'))
  } catch (error) {
    return emailPage(request, fieldErrorsOf(request.toProblem(error), FIELDS))
  }
  return { redirect: emailPath(request, email) }
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
