import { type CollectorSummary, listCollectors } from '../../../domain/collector/queries.ts'
import { listFields } from '../../../domain/contact/field.ts'
import { changeEmail, createEmail } from '../../../domain/email/commands.ts'
import type { EmailDraft } from '../../../domain/email/draft.ts'
import { readSender } from '../../../domain/email/sender.ts'
import { INVITE_LINK } from '../../../domain/email/tokens.ts'
import { type Html, html } from '../../../lib/html.ts'
import { alert, area, type Faults, faultsOf, field } from '../../forms/field.ts'
import { select } from '../../forms/select.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { tokensView } from './tokens.ts'
import { backView, draftIn, pathOf, rootOf } from './view.ts'

/** What stands in the form. */
interface Typed {
  subject: string
  fromName: string
  fromEmail: string
  message: string
  collector: string
}

interface Refused {
  faults: Faults
  general: string | undefined
}

const firstDraft = ({ context: { actor }, survey }: SurveyVisit): Typed => ({
  subject: survey.name,
  fromName: actor.name || actor.username,
  fromEmail: actor.email,
  message: `Hello [Full Name],\n\nplease take a few minutes to answer our questions:\n\n${INVITE_LINK}\n\nThank you!\n${actor.name || actor.username}`,
  collector: '',
})

const typedIn = ({ form }: SurveyVisit): Typed => {
  const text = (name: string) => one(form, name) ?? ''
  return {
    subject: text('subject'),
    fromName: text('from_name'),
    fromEmail: text('from_email'),
    message: text('message'),
    collector: text('collector'),
  }
}

/** What the domain takes; brackets and quotes in a name would end it. */
const draftOf = ({ subject, fromName, fromEmail, message }: Typed): EmailDraft => ({
  subject,
  sender: `${fromName.replace(/[<>"\s]+/g, ' ').trim()} <${fromEmail.trim()}>`,
  message: message.replaceAll('\r\n', '\n'),
})

/** What the domain says of a sender is shown at its address. */
function refusedBy(visit: SurveyVisit, error: unknown): Refused {
  const { faults, general } = faultsOf(visit.known(error), ['subject', 'sender', 'message', 'collector'])
  const named = [...faults].map(([name, text]): [string, string] => [name === 'sender' ? 'from_email' : name, text])
  return { faults: new Map(named), general }
}

export const showCompose = (visit: SurveyVisit): Promise<Answer> => composePage(visit, firstDraft(visit))

export async function writeEmail(visit: SurveyVisit): Promise<Answer> {
  const typed = typedIn(visit)
  const destination = { survey: visit.survey.id, collector: idIn(typed.collector) || undefined }
  try {
    const email = await visit.write((context) => createEmail(context, destination, draftOf(typed)))
    visit.tell('The draft is saved. Now choose who gets it.')
    return { redirect: `${pathOf(visit, email)}recipients/` }
  } catch (error) {
    return composePage(visit, typed, refusedBy(visit, error))
  }
}

export async function showEdit(visit: SurveyVisit): Promise<Answer> {
  const { subject, sender, message, collectorId } = await draftIn(visit)
  const { name, address } = readSender(sender)!
  return composePage(visit, { subject, fromName: name, fromEmail: address, message, collector: String(collectorId) })
}

export async function saveEmail(visit: SurveyVisit): Promise<Answer> {
  const email = await draftIn(visit)
  const typed = typedIn(visit)
  try {
    await visit.write((context) => changeEmail(context, email.id, draftOf(typed), idIn(typed.collector) || undefined))
  } catch (error) {
    return composePage(visit, typed, refusedBy(visit, error))
  }
  visit.tell('The draft is saved.')
  return { redirect: pathOf(visit, email) }
}

async function composePage(visit: SurveyVisit, typed: Typed, refused?: Refused): Promise<Answer> {
  const { context, survey, csrf, params } = visit
  const faults: Faults = refused?.faults ?? new Map()
  const { collectors } = await listCollectors(context, survey.id)
  const fields = await listFields(context)
  const { site } = context
  const title = params.email ? 'Edit the invitation' : 'Write an invitation'
  const back = params.email ? `${rootOf(visit)}${params.email}/` : rootOf(visit)
  return visit.show(
    {
      title,
      above: backView(visit),
      content: html`<div class="beside"><section class="card" aria-label="${title}">${alert(refused?.general)}
<form method="post">${csrfField(csrf)}
${field({ name: 'subject', label: 'Subject', value: typed.subject, required: true, faults })}
<div class="pair">${field({ name: 'from_name', label: 'From (name)', value: typed.fromName, faults })}
${field({ name: 'from_email', label: 'From (e-mail address)', type: 'email', value: typed.fromEmail, required: true, faults, ...(!site.allowSenders && { hint: `Answers go here. The message itself comes from ${site.mailFrom.address}.` }) })}</div>
${collectorField(collectors, typed.collector, faults)}
${area({ name: 'message', label: 'Message', value: typed.message, prose: true, hint: 'Plain text or HTML. The recipient gets both: plain text is set with a button to the survey, HTML is sent as you write it, without scripts.', faults })}
<div class="actions"><button class="primary">Save the draft</button><a class="button plain" href="${back}">Cancel</a></div></form></section>
${tokensView(fields)}</div>`,
    },
    refused ? 422 : 200,
  )
}

/** Only where there is something to choose. */
const collectorField = (collectors: readonly CollectorSummary[], value: string, faults: Faults): Html | false =>
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: 'Collector',
    hint: 'By which the answers come in.',
    value: value || String(collectors.find(({ isDefault }) => isDefault)?.id ?? ''),
    options: collectors.map(({ id, name }) => ({ value: id, label: name })),
    faults,
  })
