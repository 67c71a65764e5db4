import { signInCallbackUrl } from '../../../domain/identity/identity-provider.ts'
import { problems } from '../../../domain/problem.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { hasResponses } from '../../../domain/survey/anonymize.ts'
import { updateStructure, updateSurvey } from '../../../domain/survey/commands.ts'
import { findConfiguration, updateConfiguration } from '../../../domain/survey/configure.ts'
import type { SettingsChange, SurveySettings } from '../../../domain/survey/settings.ts'
import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import {
  errorSentence,
  errorSummary,
  type FieldErrorTexts,
  type FormErrors,
  field,
  type SummaryField,
  textArea,
  utcValue,
  zoneField,
} from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import { editMenu } from '../builder/menu.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { type SettingField, settingFields, settingGroups } from './fields.ts'

/**
 * Shows the name, title, description and all settings of a survey in one form. If the survey has a draft, shows a link
 * to the builder instead of the title and the description, because authors then edit these in the draft.
 */
export const showSettings = (request: SurveyRequest): Promise<PageResult> => settingsPage(request)

async function settingsPage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, survey, root, csrf, form } = request
  const { settings } = await findConfiguration(context, survey.id)
  const { published, draft, structure } = await findWorkingCopy(context, survey.id)
  const { version } = published
  const errors = rejected?.errors
  const { baseUrl, serviceClientId } = context.services
  const { slug, creator } = survey
  const providerSettings = {
    clientId: serviceClientId,
    returnAddress: signInCallbackUrl(baseUrl, { ...creator, slug }),
  }
  const fieldValue = (name: string, stored: string) => (rejected ? (formValue(form, name) ?? '') : stored)
  return request.render({
    title: t('Settings'),
    side: editMenu(request, 'settings'),
    content: html`
      ${errorSummary(rejected, summaryFields(structure))}
      <form method="post" action="${root}edit/settings/" class="settings">
        ${csrfField(csrf)}
        ${zoneField()}
        <input type="hidden" name="version" value="${fieldValue('version', String(version))}" autocomplete="off">
        <section class="card" aria-labelledby="introduction">
          <h2 id="introduction">Name, title and description</h2>
          ${field({
            name: 'name',
            label: t('Name'),
            hint: t('Respondents see the title, not the name. Shared reports and embedded snippets show the name.'),
            value: fieldValue('name', survey.name),
            required: true,
            errors,
          })}
          ${draft ? draftNote(root) : introductionView(structure, fieldValue, errors)}
        </section>
        ${settingGroups().map(
          ({ title, fields, note, link }, index) =>
            html`<section class="card" aria-labelledby="group-${index}">
              <h2 id="group-${index}">${title}</h2>
              ${fields.map((setting) => {
                const stored = setting.shown(settings)
                return settingView(
                  setting,
                  setting.kind === 'secret' ? stored : fieldValue(setting.name, stored),
                  errors,
                )
              })}
              ${note && html`<p class="hint address">${note(providerSettings)}</p>`}
              ${link && html`<p class="below"><a href="${root}edit/settings/${link.path}">${link.label}</a></p>`}
            </section>`,
        )}
        <div class="actions save-bar"><button class="primary">Save settings</button></div>
      </form>`,
  })
}

const draftNote = (root: string): Part =>
  html`<p>
    This survey has a draft in the builder, so you can edit the title and description of the survey
    under <a href="${root}edit/">Questions</a>.
  </p>`

/** Renders the title and description in each language. */
function introductionView(
  structure: Structure,
  fieldValue: (name: string, stored: string) => string,
  errors: FieldErrorTexts | undefined,
): Part {
  const { title, description, languages } = structure as Structure & { description?: Record<string, string> }
  return introductionFields(languages).map(({ code, title: titleField, description: descriptionField }) => {
    return html`
      ${field({ ...titleField, value: fieldValue(titleField.name, title[code] ?? ''), errors })}
      ${textArea({
        ...descriptionField,
        value: fieldValue(descriptionField.name, description?.[code] ?? ''),
        prose: true,
        rows: 3,
        errors,
      })}`
  })
}

/** Returns the name and label of the form fields for the title and the description in each language. */
const introductionFields = (languages: Structure['languages']) =>
  languages.map(({ code, name }) => {
    const labelIn = (label: string) => (languages.length > 1 ? `${label} (${name})` : label)
    return {
      code,
      title: { name: `title.${code}`, label: labelIn(t('Title')) },
      description: { name: `description.${code}`, label: labelIn(t('Description')) },
    }
  })

/** Returns all fields of the form, in the order of the page. */
const summaryFields = ({ languages }: Structure): SummaryField[] => [
  { name: 'name', label: t('Name') },
  ...introductionFields(languages).flatMap(({ title, description }) => [title, description]),
  ...settingGroups().flatMap(({ fields }) => fields),
]

/** Saves all values of the form. If one value is invalid, saves nothing. */
export async function saveSettings(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  const { version, structure } = await findCurrentVersion(context, survey.id)
  const codes = structure.languages.map(({ code }) => code)
  return formPage(request, {
    fields: summaryFields(structure).map(({ name }) => name),
    act: async (writing) => {
      const name = formValue(form, 'name') ?? ''
      const changed = withIntroduction(structure, codes, form)
      if (name.trim() === '') throw problems.invalidField('name', 'blank')
      const { settings } = await findConfiguration(context, survey.id)
      const change = parseSettings(form, settings)
      const anonymizes = change.anonymous && !settings.anonymous && formValue(form, 'confirmed') !== 'anonymous'
      if (anonymizes && (await hasResponses(context, survey.id))) return 'unconfirmed'
      if (name !== survey.name) await updateSurvey(writing, survey.id, { name })
      if (changed) await updateStructure(writing, survey.id, changed, Number(formValue(form, 'version')))
      await updateConfiguration(writing, survey.id, change)
      return changed ? 'published' : 'saved'
    },
    view: (rejected) => settingsPage(request, rejected),
    done: (result) =>
      result === 'unconfirmed'
        ? confirmAnonymize(request)
        : {
            redirect: `${root}edit/settings/`,
            flash:
              result === 'published'
                ? t('Settings saved. The changes to the title and description are published as version {version}.', {
                    version: version + 1,
                  })
                : t('Settings saved.'),
          },
  })
}

/**
 * Asks for confirmation before personal data is erased. The confirmation page keeps the entered values in hidden
 * fields.
 */
const confirmAnonymize = (request: SurveyRequest): PageResult =>
  confirmPage(request, {
    title: t('Make this survey anonymous?'),
    text: t(
      'This erases names, usernames, email and IP addresses, referrers, URL parameters, invite codes and exact times from all responses so far. The answers are kept. You cannot undo this.',
    ),
    button: t('Erase and make anonymous'),
    fields: { ...singleValues(request.form), confirmed: 'anonymous' },
    cancel: { label: t('Cancel'), path: `${request.root}edit/settings/` },
  })

const singleValues = (form: FormFields): Record<string, string> =>
  Object.fromEntries(
    Object.keys(form).flatMap((name) => (name === '_csrf' ? [] : [[name, formValue(form, name) ?? '']])),
  )

/**
 * Returns the structure with the submitted title and description; undefined if neither of them has changed.
 * @throws {Problem} `invalid_request` if the new title is blank in every language
 */
function withIntroduction(structure: Structure, codes: readonly string[], form: FormFields): Structure | undefined {
  const title = replaceTexts(structure.title, 'title', codes, form)
  const before = (structure.description ?? {}) as Record<string, string>
  const description = replaceTexts(before, 'description', codes, form)
  if (!title && !description) return undefined
  if (title && !Object.values(title).some((text) => text.trim() !== ''))
    throw problems.invalidField(`title.${codes[0]}`, 'blank')
  return { ...structure, ...(title && { title }), ...(description && { description }) }
}

/**
 * Replaces the text of each language with the text in the form.
 * @returns the new texts; undefined if no text has changed
 */
function replaceTexts(
  texts: Readonly<Record<string, string>>,
  name: string,
  codes: readonly string[],
  form: FormFields,
): Record<string, string> | undefined {
  const after = { ...texts }
  for (const code of codes) {
    const text = formValue(form, `${name}.${code}`)?.replaceAll('\r\n', '\n')
    if (text === undefined || text === (texts[code] ?? '')) continue
    if (text === '') delete after[code]
    else after[code] = text
  }
  return JSON.stringify(after) === JSON.stringify(texts) ? undefined : after
}

/**
 * Renders the control of a setting.
 * @param value the stored value, or the entered value if the form was rejected
 */
function settingView(setting: SettingField, value: string, errors: FieldErrorTexts | undefined): Html {
  const { name, kind, label, hint } = setting
  switch (kind) {
    case 'check':
      return checkboxView(setting, value !== '', errors)
    case 'prose':
      return textArea({ name, label, hint, value, prose: true, rows: 3, errors })
    case 'secret':
      return secretView(setting, value !== '', errors)
    case 'count':
      return field({ name, label, hint, value, type: 'number', errors })
    case 'time':
      return field({ name, label, hint, value, type: 'datetime-local', errors })
    case 'word':
      return field({ name, label, hint, value, attributes: html` autocapitalize="off" spellcheck="false"`, errors })
    case 'address':
      return field({ name, label, hint, value, type: 'url', errors })
  }
}

/** Renders a checkbox with its hint. */
function checkboxView({ name, label, hint }: SettingField, ticked: boolean, errors: FieldErrorTexts | undefined): Html {
  const fieldError = errors?.get(name)
  return html`<div class="field tickbox">
    <label>
      <input type="checkbox" id="${name}" name="${name}" value="on"${ticked && html` checked`}
          aria-describedby="${name}-hint${fieldError !== undefined && ` ${name}-error`}"${
            fieldError !== undefined && html` aria-invalid="true"`
          }> ${label}
    </label>
    <p class="hint" id="${name}-hint">${hint}</p>
    ${fieldError !== undefined && html`<p class="error" id="${name}-error">${errorSentence(label, fieldError)}</p>`}
  </div>`
}

/** Renders a password field without its value, and a checkbox that removes a stored secret. */
function secretView({ name, label, hint }: SettingField, isSet: boolean, errors: FieldErrorTexts | undefined): Html {
  const fullHint = isSet
    ? t('{hint} Leave blank to keep the current value.', { hint })
    : t('{hint} Optional.', { hint })
  return html`
    ${field({ name, label, hint: fullHint, type: 'password', autocomplete: 'new-password', errors })}
    ${
      isSet &&
      html`<div class="field tickbox indented">
        <label><input type="checkbox" name="${name}.remove" value="on"> Remove the current value of “${label}”</label>
      </div>`
    }`
}

/**
 * Returns the settings in the form, as the domain expects them. A blank field for a secret leaves the stored secret
 * unchanged. A time that was not edited is not changed, although a clock that is set back shows it twice.
 */
function parseSettings(form: FormFields, stored: SurveySettings): SettingsChange {
  const change: Record<string, unknown> = {}
  const custom: Record<string, unknown> = {}
  for (const field of settingFields) {
    const [outer, inner] = field.name.split('.')
    if (inner === undefined) change[outer!] = fieldValue(field, form, stored)
    else custom[inner] = fieldValue(field, form, stored)
  }
  return { ...change, custom_authentication: custom }
}

function fieldValue({ name, kind, shown }: SettingField, form: FormFields, stored: SurveySettings): unknown {
  const value = formValue(form, name) ?? ''
  switch (kind) {
    case 'check':
      return value !== ''
    case 'count':
      // The domain rejects NaN with an error that names the field.
      return value.trim() === '' ? '' : Number(value)
    case 'secret':
      return formValue(form, `${name}.remove`) !== undefined ? null : value || undefined
    case 'prose':
      return value.replaceAll('\r\n', '\n')
    case 'time':
      return value === shown(stored) ? stored[name as 'open_at' | 'close_at'] : utcValue(value)
    default:
      return value
  }
}
