import { type CollectorSummary, listCollectors } from '../../../domain/collector/queries.ts'
import { listFields } from '../../../domain/contact/field.ts'
import { changeEmail, createEmail } from '../../../domain/email/commands.ts'
import type { EmailDraft } from '../../../domain/email/draft.ts'
import { INVITE_LINK } from '../../../domain/email/tokens.ts'
import { parseSender } from '../../../domain/email-sender.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, field, fieldErrorsOf, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
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
  errors: FieldErrorTexts
  general: string | undefined
}

const firstDraft = ({ context: { actor }, survey }: SurveyRequest): Typed => ({
  subject: survey.name,
  fromName: actor.name || actor.username,
  fromEmail: actor.email,
  message: `Hi [Full Name],\n\nCould you spare a few minutes for our survey?\n\n${INVITE_LINK}\n\nThank you!\n${actor.name || actor.username}`,
  collector: '',
})

const typedIn = ({ form }: SurveyRequest): Typed => {
  const text = (name: string) => formValue(form, name) ?? ''
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
function refusedBy(request: SurveyRequest, error: unknown): Refused {
  const { errors, general } = fieldErrorsOf(request.toProblem(error), ['subject', 'sender', 'message', 'collector'])
  const named = [...errors].map(([name, text]): [string, string] => [name === 'sender' ? 'from_email' : name, text])
  return { errors: new Map(named), general }
}

export const showCompose = (request: SurveyRequest): Promise<PageResult> => composePage(request, firstDraft(request))

export async function writeEmail(request: SurveyRequest): Promise<PageResult> {
  const typed = typedIn(request)
  const destination = { survey: request.survey.id, collector: parseId(typed.collector) || undefined }
  try {
    const email = await request.write((context) => createEmail(context, destination, draftOf(typed)))
    request.flash('Draft saved. Now choose recipients.')
    return { redirect: `${pathOf(request, email)}recipients/` }
  } catch (error) {
    return composePage(request, typed, refusedBy(request, error))
  }
}

export async function showEditEmail(request: SurveyRequest): Promise<PageResult> {
  const { subject, sender, message, collectorId } = await draftIn(request)
  const { name, address } = parseSender(sender)!
  return composePage(request, { subject, fromName: name, fromEmail: address, message, collector: String(collectorId) })
}

export async function saveEmail(request: SurveyRequest): Promise<PageResult> {
  const email = await draftIn(request)
  const typed = typedIn(request)
  try {
    await request.write((context) =>
      changeEmail(context, email.id, draftOf(typed), parseId(typed.collector) || undefined),
    )
  } catch (error) {
    return composePage(request, typed, refusedBy(request, error))
  }
  request.flash('Draft saved.')
  return { redirect: pathOf(request, email) }
}

async function composePage(request: SurveyRequest, typed: Typed, refused?: Refused): Promise<PageResult> {
  const { context, survey, csrf, params } = request
  const errors: FieldErrorTexts = refused?.errors ?? new Map()
  const { collectors } = await listCollectors(context, survey.id)
  const fields = await listFields(context)
  const { services } = context
  const title = params.email ? 'Edit invitation' : 'New invitation'
  const back = params.email ? `${rootOf(request)}${params.email}/` : rootOf(request)
  return request.render(
    {
      title,
      beforeHeading: backView(request),
      content: html`<div class="beside"><section class="card" aria-label="${title}">${alert(refused?.general)}
<form method="post">${csrfField(csrf)}
${field({ name: 'subject', label: 'Subject', value: typed.subject, required: true, errors })}
<div class="pair">${field({ name: 'from_name', label: 'From (name)', value: typed.fromName, errors })}
${field({ name: 'from_email', label: 'From (email)', type: 'email', value: typed.fromEmail, required: true, errors, ...(!services.allowSenders && { hint: `Replies go to this address. Invitations are sent from ${services.mailFrom.address}.` }) })}</div>
${collectorField(collectors, typed.collector, errors)}
${textArea({ name: 'message', label: 'Message', value: typed.message, prose: true, hint: 'Plain text or HTML. Plain text gets a button that opens the survey. HTML is sent as written, without scripts.', errors })}
<div class="actions"><button class="primary">Save draft</button><a class="button plain" href="${back}">Cancel</a></div></form></section>
${tokensView(fields)}</div>`,
    },
    refused ? 422 : 200,
  )
}

/** Only where there is something to choose. */
const collectorField = (
  collectors: readonly CollectorSummary[],
  value: string,
  errors: FieldErrorTexts,
): Html | false =>
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: 'Collector',
    hint: 'Responses are recorded under this collector.',
    value: value || String(collectors.find(({ isDefault }) => isDefault)?.id ?? ''),
    options: collectors.map(({ id, name }) => ({ value: id, label: name })),
    errors,
  })
