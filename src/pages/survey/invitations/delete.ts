import { deleteEmail } from '../../../domain/email/commands.ts'
import { html } from '../../../lib/html.ts'
import { counted } from '../../counted.ts'
import { csrfField } from '../../shell.ts'
import type { Answer } from '../../visit.ts'
import type { SurveyVisit } from '../frame.ts'
import { emailIn, pathOf, rootOf } from './view.ts'

/** Asks before an e-mail that has not gone out is deleted. */
export async function askToDeleteEmail(visit: SurveyVisit): Promise<Answer> {
  const email = await emailIn(visit)
  return visit.show({
    title: 'Delete this invitation?',
    content: html`<section class="card"><p>“${email.subject}”, with ${counted(email.recipients, 'recipient')}, will be gone. Nobody has got it yet. The contacts stay.</p>
<form method="post" class="actions">${csrfField(visit.csrf)}<button class="danger">Delete it</button><a class="button plain" href="${pathOf(visit, email)}">Keep it</a></form></section>`,
  })
}

export async function removeEmail(visit: SurveyVisit): Promise<Answer> {
  const { id, subject } = await emailIn(visit)
  await visit.write((context) => deleteEmail(context, id))
  visit.tell(`“${subject}” is deleted.`)
  return { redirect: rootOf(visit) }
}
