import { sendEmail, sendEmailAt } from '../../../domain/email/send.ts'
import { tryOutEmail } from '../../../domain/email/test-email.ts'
import { unscheduleEmail } from '../../../domain/email/unschedule.ts'
import { faultsOf } from '../../forms/field.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { emailPage } from './email.ts'
import { emailIn, pathOf } from './view.ts'
import { readWhen } from './when.ts'

const FIELDS = ['weeks', 'days', 'hours', 'minutes', 'date', 'time', 'scheduled']

/** Hands a draft in, for now or for later. */
export async function send(visit: SurveyVisit): Promise<Answer> {
  const email = await emailIn(visit)
  const { form, context } = visit
  try {
    const when = readWhen(form, context.now)
    await visit.write((inside) =>
      'at' in when
        ? sendEmailAt(inside, email.id, when.at)
        : sendEmail(inside, email.id, 'after' in when ? when.after : undefined),
    )
    visit.tell('now' in when ? 'It is on its way.' : 'It is scheduled.')
  } catch (error) {
    return emailPage(visit, faultsOf(visit.known(error), FIELDS))
  }
  return { redirect: pathOf(visit, email) }
}

/** Makes a draft again of what has not gone out. */
export async function takeBack(visit: SurveyVisit): Promise<Answer> {
  const email = await emailIn(visit)
  await visit.write((context) => unscheduleEmail(context, email.id))
  visit.tell('It is a draft again; nobody has got it.')
  return { redirect: pathOf(visit, email) }
}

/** To the visitor's own address. */
export async function tryOut(visit: SurveyVisit): Promise<Answer> {
  const email = await emailIn(visit)
  await visit.write((context) => tryOutEmail(context, email.id))
  visit.tell(`A test is on its way to ${visit.context.actor.email}.`)
  return { redirect: pathOf(visit, email) }
}
