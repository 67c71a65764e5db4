import { type CollectorSummary, listCollectors } from '../../../domain/collector/queries.ts'
import { listFields } from '../../../domain/contact/fields.ts'
import { changeEmail, createEmail } from '../../../domain/email/commands.ts'
import type { EmailDraft } from '../../../domain/email/email.ts'
import { INVITE_LINK, UNSUBSCRIBE_LINK } from '../../../domain/email/tokens.ts'
import { parseSender } from '../../../domain/email-address.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import {
  alert,
  type FieldErrorTexts,
  type FormErrors,
  field,
  fieldErrorsOf,
  select,
  textArea,
} from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { backView, emailPath, findDraft, invitationsPath, noMailView } from './frame.ts'

/** The values of the form. */
interface FormValues {
  subject: string
  fromName: string
  fromEmail: string
  replyTo: string
  message: string
  collector: string
}

const defaultValues = ({ context: { actor }, survey }: SurveyRequest): FormValues => ({
  subject: survey.name,
  fromName: actor.name || actor.username,
  fromEmail: actor.email,
  replyTo: '',
  message: t('Hi [Full Name],\n\nCould you spare a few minutes for our survey?\n\n{value}\n\nThank you!\n{value2}', {
    value: INVITE_LINK,
    value2: actor.name || actor.username,
  }),
  collector: '',
})

const readForm = ({ form }: SurveyRequest): FormValues => {
  const text = (name: string) => formValue(form, name) ?? ''
  return {
    subject: text('subject'),
    fromName: text('from_name'),
    fromEmail: text('from_email'),
    replyTo: text('reply_to'),
    message: text('message'),
    collector: text('collector'),
  }
}

/**
 * Converts the form values to a draft. Removes angle brackets and quotes from the name of the sender. In an address
 * such as `Name <name@example.com>`, these characters would end the name.
 */
const toDraft = ({ subject, fromName, fromEmail, replyTo, message }: FormValues): EmailDraft => ({
  subject,
  sender: `${fromName.replace(/[<>"\s]+/g, ' ').trim()} <${fromEmail.trim()}>`,
  replyTo,
  message: message.replaceAll('\r\n', '\n'),
})

/** Moves an error of the member `sender` to the input field for the sender's email address. */
function formErrors(error: unknown): FormErrors {
  const { errors, general } = fieldErrorsOf(error, ['subject', 'sender', 'reply_to', 'message', 'collector'])
  const byInput = [...errors].map(([name, text]): [string, string] => [name === 'sender' ? 'from_email' : name, text])
  return { errors: new Map(byInput), general }
}

export const showNewEmail = (request: SurveyRequest): Promise<PageResult> => editPage(request, defaultValues(request))

export async function saveNewEmail(request: SurveyRequest): Promise<PageResult> {
  const values = readForm(request)
  const destination = { survey: request.survey.id, collector: parseId(values.collector) || undefined }
  return formPage(request, {
    fields: formErrors,
    act: (context) => createEmail(context, destination, toDraft(values)),
    view: (rejected) => editPage(request, values, rejected),
    done: (email) => ({
      redirect: `${emailPath(request, email)}recipients/`,
      flash: t('Draft saved. You can now choose recipients.'),
    }),
  })
}

export async function showEditEmail(request: SurveyRequest): Promise<PageResult> {
  const { subject, sender, replyTo, message, collectorId } = await findDraft(request)
  const { name, address } = parseSender(sender)!
  return editPage(request, {
    subject,
    fromName: name,
    fromEmail: address,
    replyTo: replyTo ?? '',
    message,
    collector: String(collectorId),
  })
}

export async function saveEmail(request: SurveyRequest): Promise<PageResult> {
  const email = await findDraft(request)
  const values = readForm(request)
  return formPage(request, {
    fields: formErrors,
    act: (context) => changeEmail(context, email.id, toDraft(values), parseId(values.collector) || undefined),
    view: (rejected) => editPage(request, values, rejected),
    done: () => ({ redirect: emailPath(request, email), flash: t('Draft saved.') }),
  })
}

async function editPage(request: SurveyRequest, values: FormValues, rejected?: FormErrors): Promise<PageResult> {
  const { context, survey, csrf, params } = request
  const errors = rejected?.errors
  const { collectors } = await listCollectors(context, survey.id)
  const fields = await listFields(context)
  const { services } = context
  const title = params.email ? t('Edit invitation') : t('New invitation')
  const back = params.email ? `${invitationsPath(request)}${params.email}/` : invitationsPath(request)
  return request.render({
    title,
    beforeHeading: backView(request),
    content: html`
      ${noMailView(request)}
      <div class="beside">
        <section class="card" aria-label="${title}">
          ${alert(rejected?.general)}
          <form method="post">
            ${csrfField(csrf)}
            ${field({ name: 'subject', label: t('Subject'), value: values.subject, required: true, errors })}
            <div class="pair">
              ${field({ name: 'from_name', label: t('From (name)'), value: values.fromName, errors })}
              ${field({
                name: 'from_email',
                label: t('From (email)'),
                type: 'email',
                value: values.fromEmail,
                required: true,
                errors,
                ...(!services.allowSenders && {
                  hint: t(
                    'Replies go to the address that you enter here, unless you fill in “Reply to”. Invitations are sent from {address}.',
                    { address: services.mailFrom.address },
                  ),
                }),
              })}
            </div>
            ${field({
              name: 'reply_to',
              label: t('Reply to (optional)'),
              type: 'email',
              value: values.replyTo,
              hint: t('Leave blank to receive replies at the address under “From (email)”.'),
              errors,
            })}
            ${collectorField(collectors, values.collector, errors)}
            ${textArea({
              name: 'message',
              label: t('Message'),
              value: values.message,
              prose: true,
              hint: t(
                'Plain text or HTML. Plain text is sent with the theme of the survey, with the invite link as a button. Scripts, forms and style sheets are removed from HTML.',
              ),
              errors,
            })}
            <div class="actions">
              <button class="primary">Save draft</button>
              <a class="button plain" href="${back}">Cancel</a>
            </div>
          </form>
        </section>
        ${mergeTagsView(fields)}
      </div>`,
  })
}

/** Renders the field that selects a collector if the survey has several collectors. */
const collectorField = (
  collectors: readonly CollectorSummary[],
  value: string,
  errors: FieldErrorTexts | undefined,
): Html | false =>
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: t('Collector'),
    hint: t('Responses are recorded under this collector.'),
    value: value || String(collectors.find(({ isDefault }) => isDefault)?.id ?? ''),
    options: collectors.map(({ id, name }) => ({ value: id, label: name })),
    errors,
  })

const MAX_FIELDS = 20

/**
 * Renders the list of merge tags that subjects and messages can contain.
 * @param fields the names of the custom fields of the address book
 */
const mergeTagsView = (fields: readonly string[]): Html =>
  html`<aside class="card merge-tags" aria-labelledby="merge-tags">
    <h2 id="merge-tags">Merge tags</h2>
    <p class="soft">
      Each tag is replaced with the recipient’s details. If the survey is anonymous, tags inside web addresses are left
      out.
    </p>
    <dl>
      <dt><code>${INVITE_LINK}</code></dt>
      <dd>The recipient’s link to the survey. Required.</dd>
      <dt><code>[Full Name]</code></dt>
      <dd>The recipient’s name.</dd>
      <dt><code>[Email]</code></dt>
      <dd>The recipient’s email address.</dd>
      <dt><code>${UNSUBSCRIBE_LINK}</code></dt>
      <dd>The unsubscribe link. If the message does not contain this tag, Canvass adds the link at the end.</dd>
      ${fields
        .slice(0, MAX_FIELDS)
        .map((name) => html`<dt><code>[Custom:${name}]</code></dt><dd>The contact’s value for this field.</dd>`)}
    </dl>
  </aside>`
