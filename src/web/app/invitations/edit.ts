import { type CollectorSummary, listCollectors } from '../../../domain/collector/queries.ts'
import { listFields } from '../../../domain/contact/fields.ts'
import { findOrCreateContacts, parsePastedAddresses } from '../../../domain/contact/pasted-addresses.ts'
import { changeEmail, createEmail } from '../../../domain/email/commands.ts'
import type { EmailDraft, EmailTexts, EmailTranslations } from '../../../domain/email/email.ts'
import { addRecipients } from '../../../domain/email/recipients.ts'
import { INVITE_LINK, UNSUBSCRIBE_LINK } from '../../../domain/email/tokens.ts'
import { formatSender } from '../../../domain/email-address.ts'
import { getSnapshot } from '../../../domain/survey/snapshot.ts'
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
  /** `Name <address>`. */
  sender: string
  replyTo: string
  message: string
  collector: string
  /** The texts by language code; blank for a language without own texts. */
  translations: EmailTranslations
}

const defaultValues = ({ context: { actor }, survey }: SurveyRequest): FormValues => ({
  subject: survey.name,
  sender: formatSender({ name: (actor.name || actor.username).replace(/[<>"\s]+/g, ' ').trim(), address: actor.email }),
  replyTo: '',
  message: t('Hi [Full Name],\n\nCould you spare a few minutes for our survey?\n\n{value}\n\nThank you!\n{value2}', {
    value: INVITE_LINK,
    value2: actor.name || actor.username,
  }),
  collector: '',
  translations: {},
})

/** Returns the name of a field with a text in a further language, which errors of the domain name as well. */
const fieldName = (code: string, part: keyof EmailTexts): string => `translations.${code}.${part}`

const readForm = ({ form }: SurveyRequest, languages: readonly Language[]): FormValues => {
  const text = (name: string) => (formValue(form, name) ?? '').replaceAll('\r\n', '\n')
  return {
    subject: text('subject'),
    sender: text('sender'),
    replyTo: text('reply_to'),
    message: text('message'),
    collector: text('collector'),
    translations: Object.fromEntries(
      languages.map(({ code }) => [
        code,
        { subject: text(fieldName(code, 'subject')), message: text(fieldName(code, 'message')) },
      ]),
    ),
  }
}

/** Converts the form values to a draft, without the languages whose texts are blank. */
const toDraft = ({ subject, sender, replyTo, message, translations }: FormValues): EmailDraft => ({
  subject,
  sender,
  replyTo,
  message,
  translations: Object.fromEntries(
    Object.entries(translations).filter(([, texts]) => `${texts.subject}${texts.message}`.trim() !== ''),
  ),
})

/** The languages of a survey in which an invitation can have own texts. */
interface Language {
  code: string
  name: string
}

/**
 * Returns the languages of the survey other than its default language, and further languages in which an email has
 * texts.
 */
async function otherLanguages(
  { context, survey }: SurveyRequest,
  translations: EmailTranslations = {},
): Promise<Language[]> {
  const languages = (await getSnapshot(context.em, survey.id))?.questionnaire.languages ?? []
  const others = languages.filter(({ isDefault }) => !isDefault)
  const further = Object.keys(translations).filter((code) => !languages.some((language) => language.code === code))
  return [...others, ...further.map((code) => ({ code, name: code }))]
}

const formErrors =
  (languages: readonly Language[]) =>
  (error: unknown): FormErrors =>
    fieldErrorsOf(error, [
      'addresses',
      'subject',
      'sender',
      'reply_to',
      'message',
      'collector',
      ...languages.flatMap(({ code }) => [fieldName(code, 'subject'), fieldName(code, 'message')]),
    ])

export const showNewEmail = async (request: SurveyRequest): Promise<PageResult> =>
  editPage(request, defaultValues(request), await otherLanguages(request))

export async function saveNewEmail(request: SurveyRequest): Promise<PageResult> {
  const languages = await otherLanguages(request)
  const values = readForm(request, languages)
  const addresses = (formValue(request.form, 'addresses') ?? '').trim()
  const destination = { survey: request.survey.id, collector: parseId(values.collector) || undefined }
  return formPage(request, {
    fields: formErrors(languages),
    act: async (context) => {
      const email = await createEmail(context, destination, toDraft(values))
      if (addresses === '') return { email, added: 0 }
      const { ids } = await findOrCreateContacts(context, parsePastedAddresses(addresses, 'addresses'))
      return { email, added: await addRecipients(context, email.id, { ids, field: 'addresses' }) }
    },
    view: (rejected) => editPage(request, values, languages, rejected),
    done: ({ email, added }) =>
      added === 0
        ? {
            redirect: `${emailPath(request, email)}recipients/`,
            flash: t('Draft saved. You can now choose recipients.'),
          }
        : { redirect: emailPath(request, email), flash: t('Draft saved. Check it, then send it.') },
  })
}

export async function showEditEmail(request: SurveyRequest): Promise<PageResult> {
  const { subject, sender, replyTo, message, collectorId, translations } = await findDraft(request)
  return editPage(
    request,
    { subject, sender, replyTo: replyTo ?? '', message, collector: String(collectorId), translations },
    await otherLanguages(request, translations),
  )
}

export async function saveEmail(request: SurveyRequest): Promise<PageResult> {
  const email = await findDraft(request)
  const languages = await otherLanguages(request, email.translations)
  const values = readForm(request, languages)
  return formPage(request, {
    fields: formErrors(languages),
    act: (context) => changeEmail(context, email.id, toDraft(values), parseId(values.collector) || undefined),
    view: (rejected) => editPage(request, values, languages, rejected),
    done: () => ({ redirect: emailPath(request, email), flash: t('Draft saved.') }),
  })
}

async function editPage(
  request: SurveyRequest,
  values: FormValues,
  languages: readonly Language[],
  rejected?: FormErrors,
): Promise<PageResult> {
  const { context, survey, csrf, params, form } = request
  const errors = rejected?.errors
  const isNew = !params.email
  const { collectors } = await listCollectors(context, survey.id)
  const fields = await listFields(context)
  const { services } = context
  const title = isNew ? t('New invitation') : t('Edit invitation')
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
            ${
              isNew &&
              textArea({
                name: 'addresses',
                label: t('Recipients'),
                prose: true,
                rows: 3,
                value: formValue(form, 'addresses') ?? '',
                hint: t(
                  'Email addresses, one per line. Leave blank to choose contacts or a contact list in the next step.',
                ),
                errors,
              })
            }
            ${field({ name: 'subject', label: t('Subject'), value: values.subject, required: true, errors })}
            ${field({
              name: 'sender',
              label: t('Sender'),
              value: values.sender,
              required: true,
              errors,
              hint: services.allowSenders
                ? t('A name, and in angle brackets an address.')
                : t('Recipients see this name, and reply to this address. The invitation is sent by {address}.', {
                    address: services.mailFrom.address,
                  }),
            })}
            <details${(values.replyTo !== '' || errors?.has('reply_to')) && html` open`}>
              <summary>Replies to another address</summary>
              ${field({
                name: 'reply_to',
                label: t('Reply to (optional)'),
                type: 'email',
                value: values.replyTo,
                errors,
              })}
            </details>
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
            ${languages.map((language) => translationView(language, values.translations[language.code], errors))}
            <div class="actions">
              <button class="primary">${isNew ? t('Continue') : t('Save draft')}</button>
              <a class="button plain" href="${back}">Cancel</a>
            </div>
          </form>
        </section>
        ${mergeTagsView(fields)}
      </div>`,
  })
}

/** Renders the fields for the texts in a further language. They are folded until the language has texts. */
function translationView(
  { code, name }: Language,
  texts: EmailTexts = { subject: '', message: '' },
  errors: FieldErrorTexts | undefined,
): Html {
  const names = [fieldName(code, 'subject'), fieldName(code, 'message')] as const
  const isOpen = texts.subject !== '' || texts.message !== '' || names.some((each) => errors?.has(each))
  return html`<details${isOpen && html` open`}>
    <summary>${t('In {language}', { language: name })}</summary>
    <p class="soft">
      Contacts with this language get these texts. Leave both blank to send them the texts above.
    </p>
    <div lang="${code}">
      ${field({ name: names[0], label: t('Subject ({language})', { language: name }), value: texts.subject, errors })}
      ${textArea({
        name: names[1],
        label: t('Message ({language})', { language: name }),
        value: texts.message,
        prose: true,
        errors,
      })}
    </div>
  </details>`
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
 * Renders the list of placeholders that subjects and messages can contain.
 * @param fields the names of the custom fields of the address book
 */
const mergeTagsView = (fields: readonly string[]): Html =>
  html`<aside class="card merge-tags" aria-labelledby="merge-tags">
    <h2 id="merge-tags">Placeholders</h2>
    <p class="soft">
      Each recipient reads their own details in place of these words. If the survey is anonymous, placeholders inside
      web addresses are left out.
    </p>
    <dl>
      <dt><code>${INVITE_LINK}</code></dt>
      <dd>The recipient’s link to the survey. Required.</dd>
      <dt><code>[Full Name]</code></dt>
      <dd>The recipient’s name.</dd>
      <dt><code>[Email]</code></dt>
      <dd>The recipient’s email address.</dd>
      <dt><code>${UNSUBSCRIBE_LINK}</code></dt>
      <dd>The unsubscribe link. Without this placeholder, Canvass adds the link at the end.</dd>
      ${fields
        .slice(0, MAX_FIELDS)
        .map((name) => html`<dt><code>[Custom:${name}]</code></dt><dd>The contact’s value for this field.</dd>`)}
    </dl>
  </aside>`
