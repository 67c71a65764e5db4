import { remind, reminderOf } from '../../../domain/email/remind.ts'
import { html } from '../../../lib/html.ts'
import { alert, area, type Faults, faultsOf, field } from '../../forms/field.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { backView, emailIn, pathOf } from './view.ts'

export async function askToRemind(visit: SurveyVisit): Promise<Answer> {
  return remindPage(visit, await reminderOf(visit.context, await emailIn(visit)))
}

async function remindPage(
  visit: SurveyVisit,
  typed: { subject: string; message: string },
  refused?: { faults: Faults; general: string | undefined },
): Promise<Answer> {
  const email = await emailIn(visit)
  const faults = refused?.faults ?? new Map()
  return visit.show(
    {
      title: 'Remind',
      above: backView(visit, email),
      content: html`<section class="card" aria-label="Reminder">${alert(refused?.general)}
<p class="soft">Goes at once to those who got “${email.subject}” and have not completed the survey. The link in it is the one they have.</p>
<form method="post">${csrfField(visit.csrf)}
${field({ name: 'subject', label: 'Subject', value: typed.subject, required: true, faults })}
${area({ name: 'message', label: 'Message', value: typed.message, prose: true, faults })}
<div class="actions"><button class="primary">Send the reminder</button><a class="button plain" href="${pathOf(visit, email)}">Cancel</a></div></form></section>`,
    },
    refused ? 422 : 200,
  )
}

export async function sendReminder(visit: SurveyVisit): Promise<Answer> {
  const { id } = await emailIn(visit)
  const typed = {
    subject: one(visit.form, 'subject') ?? '',
    message: (one(visit.form, 'message') ?? '').replaceAll('\r\n', '\n'),
  }
  try {
    const reminder = await visit.write((context) => remind(context, id, typed))
    visit.tell('The reminder is on its way.')
    return { redirect: pathOf(visit, reminder) }
  } catch (error) {
    return remindPage(visit, typed, faultsOf(visit.known(error), ['subject', 'message']))
  }
}
