import { deleteEmail } from '../../../domain/email/commands.ts'
import { ask } from '../../forms/confirm.ts'
import { counted } from '../../layout/pluralize.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { emailIn, pathOf, rootOf } from './view.ts'

/** Asks before an e-mail that has not gone out is deleted. */
export async function askToDeleteEmail(visit: SurveyVisit): Promise<Answer> {
  const email = await emailIn(visit)
  return ask(visit, {
    title: 'Delete this invitation?',
    text: `“${email.subject}”, with ${counted(email.recipients, 'recipient')}, will be gone. Nobody has got it yet. The contacts stay.`,
    button: 'Delete it',
    keep: { label: 'Keep it', path: pathOf(visit, email) },
  })
}

export async function removeEmail(visit: SurveyVisit): Promise<Answer> {
  const { id, subject } = await emailIn(visit)
  await visit.write((context) => deleteEmail(context, id))
  visit.tell(`“${subject}” is deleted.`)
  return { redirect: rootOf(visit) }
}
