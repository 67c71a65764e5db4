import { sendEmail, sendEmailAt } from '../../../domain/email/send.ts'
import { enqueueTestEmail } from '../../../domain/email/test-email.ts'
import { unscheduleEmail } from '../../../domain/email/unschedule.ts'
import { fieldErrorsOf } from '../../forms/field.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { emailPage } from './email.ts'
import { emailIn, pathOf } from './view.ts'
import { readWhen } from './when.ts'

const FIELDS = ['weeks', 'days', 'hours', 'minutes', 'date', 'time', 'scheduled']

/** Hands a draft in, for now or for later. */
export async function send(request: SurveyRequest): Promise<PageResult> {
  const email = await emailIn(request)
  const { form, context } = request
  try {
    const when = readWhen(form, context.now)
    await request.write((inside) =>
      'at' in when
        ? sendEmailAt(inside, email.id, when.at)
        : sendEmail(inside, email.id, 'after' in when ? when.after : undefined),
    )
    request.flash('now' in when ? 'Sending the invitation.' : 'Invitation scheduled.')
  } catch (error) {
    return emailPage(request, fieldErrorsOf(request.toProblem(error), FIELDS))
  }
  return { redirect: pathOf(request, email) }
}

/** Makes a draft again of what has not gone out. */
export async function takeBack(request: SurveyRequest): Promise<PageResult> {
  const email = await emailIn(request)
  await request.write((context) => unscheduleEmail(context, email.id))
  request.flash('Sending cancelled. Nothing was sent.')
  return { redirect: pathOf(request, email) }
}

/** To the visitor's own address. */
export async function tryOut(request: SurveyRequest): Promise<PageResult> {
  const email = await emailIn(request)
  await request.write((context) => enqueueTestEmail(context, email.id))
  request.flash(`Sending a test email to ${request.context.actor.email}.`)
  return { redirect: pathOf(request, email) }
}
