import type { FieldError, FieldErrorCode } from '../../domain/field-error.ts'
import { Problem } from '../../domain/problem.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { localTime, momentOf } from '../../lib/time-zone.ts'
import { errorText, problemText } from '../i18n/error-texts.ts'
import { pageLocale } from '../i18n/page-locale.ts'
import { perLanguage, t } from '../i18n/t.ts'
import { capitalize } from '../layout/format.ts'

/**
 * The error messages of a form, by field. Each is a sentence, or a predicate such as `must not be blank`, which is
 * shown after the label of the field.
 */
export type FieldErrorTexts = ReadonlyMap<string, string>

/** The error messages of a rejected form. */
export interface FormErrors {
  errors: FieldErrorTexts
  /** The message that does not concern a single field. */
  general: string | undefined
}

export interface FieldOptions {
  name: string
  /** The ID of the element; by default, the name of the field. */
  id?: string
  label: string
  type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'number' | 'date' | 'time' | 'datetime-local' | 'color'
  value?: string
  hint?: string
  autocomplete?: string
  required?: boolean
  /** Whether the input is as narrow as an input for a number. */
  short?: boolean
  /** Further attributes of the element. */
  attributes?: Part
  /** Whether a text area contains prose rather than code. */
  prose?: boolean
  rows?: number
  errors?: FieldErrorTexts | undefined
}

/** Renders a control with its label, hint and error, which come before the control. */
export function labelled(
  { name, id = name, label, hint, errors }: Pick<FieldOptions, 'name' | 'id' | 'label' | 'hint' | 'errors'>,
  control: (ariaAttributes: Part) => Html,
): Html {
  const error = errors?.get(name)
  const descriptionIds = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${error && html`<p class="error" id="${id}-error">${errorSentence(label, error)}</p>`}
    ${control(
      html`${descriptionIds && html` aria-describedby="${descriptionIds}"`}${error && html` aria-invalid="true"`}`,
    )}
  </div>`
}

/** Renders a labelled input. */
export const field = (options: FieldOptions): Html => {
  const {
    name,
    id = name,
    type = 'text',
    value = '',
    autocomplete,
    required = false,
    short = false,
    attributes,
  } = options
  return labelled(
    options,
    (ariaAttributes) =>
      html`
        <input class="box${short && ' short'}" id="${id}" name="${name}" type="${type}" value="${value}"${
          autocomplete && html` autocomplete="${autocomplete}"`
        }${required && html` required`}${attributes}${ariaAttributes}>`,
  )
}

/** Renders a labelled text area. */
export const textArea = (options: FieldOptions): Html => {
  const { name, id = name, value = '', prose = false, rows = 10 } = options
  return labelled(
    options,
    (ariaAttributes) =>
      html`<textarea class="${prose ? 'box' : 'box code'}" id="${id}" name="${name}"
          rows="${rows}"${!prose && html` spellcheck="false"`}${ariaAttributes}>${value}</textarea>`,
  )
}

/** Renders an error that concerns a whole form, to be shown above its fields. */
export const alert = (text: Part): Part => text && html`<p class="alert" role="alert">${text}</p>`

/** Returns sentences that replace a predicate if the predicate would be hard to read after the label of the field. */
const ERROR_TEXTS: () => Partial<Record<FieldErrorCode, string>> = perLanguage(() => ({
  wrong_password: t('The password is incorrect'),
  invalid_email: t('Enter an email address, such as name@example.com'),
}))

/** Returns whether a message lacks a subject, such as `must not be blank`. */
const isPredicate = (message: string): boolean => /^(?!line \d)\p{Ll}/u.test(message)

/**
 * Returns an error as a sentence. If the message lacks a subject, begins the sentence with the label of the field:
 * `Name must not be blank.`
 */
export function errorSentence(label: string, message: string): string {
  const text = isPredicate(message) ? `${label} ${message}` : capitalize(message)
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** Kinds of Problems that the user cannot resolve by changing the input. */
const NOT_CORRECTABLE: ReadonlySet<Problem['kind']> = new Set(['not_found', 'forbidden', 'too_many'])

/**
 * Returns the messages of a Problem for the fields of a form. If none of its errors concerns one of these fields,
 * returns a general message.
 * @throws the error if the user cannot resolve it by changing the input
 */
export function fieldErrorsOf(error: unknown, fields: readonly string[]): FormErrors {
  if (!(error instanceof Problem) || NOT_CORRECTABLE.has(error.kind)) throw error
  const errors = new Map(
    error.errors
      .filter(({ field }) => fields.includes(field))
      .map((error) => {
        const text = errorText(error)
        return [error.field, isPredicate(text) ? (ERROR_TEXTS()[error.code] ?? text) : text]
      }),
  )
  return { errors, general: errors.size === 0 ? generalText(error) : undefined }
}

/**
 * Returns a sentence for each error if all errors concern parameters, for which the form has no field. Otherwise,
 * returns the text of the Problem.
 */
const generalText = (problem: Problem): string => {
  const { errors } = problem
  return errors.length > 0 && errors.every(({ field }) => /^[a-z][a-z_]*$/.test(field))
    ? errors.map((error) => errorSentence(parameterLabel(error.field), errorText(error))).join(' ')
    : problemText(problem)
}

/** Converts the name of a parameter to a label: `thank_you_message` becomes `Thank you message`. */
const parameterLabel = (name: string): string => capitalize(name.replaceAll('_', ' '))

interface SelectOptions extends Pick<FieldOptions, 'name' | 'label' | 'value' | 'hint' | 'errors'> {
  options: readonly { value: string | number; label: string }[]
}

/** Renders a labelled drop-down list. */
export const select = (field: SelectOptions): Html => {
  const { name, value = '', options } = field
  return labelled(
    field,
    (ariaAttributes) =>
      html`<select class="box" id="${name}" name="${name}"${ariaAttributes}>
        ${options.map(
          (option) =>
            html`<option value="${option.value}"${String(option.value) === value && html` selected`}>
              ${option.label}
            </option>`,
        )}
      </select>`,
  )
}

/** The parameter with which a form names the time zone in which it showed its times. */
export const ZONE_PARAMETER = 'view-zone'

/** Renders the hidden field of a form with times. The request is served in the time zone that it names. */
export const zoneField = (): Html =>
  html`<input type="hidden" name="${ZONE_PARAMETER}" value="${pageLocale().timeZone}">`

/**
 * Returns a moment as the value of an input `datetime-local`, in the time zone of the page: to the minute, or to the
 * second if its seconds are not zero.
 */
export const localValue = (at: Date): string => localTime(at, pageLocale().timeZone).replace(/:00$/, '')

/**
 * Returns the moment of a value of an input `datetime-local` or `date` as ISO 8601 in UTC. Returns other texts
 * unchanged, for the error message.
 */
export const utcValue = (local: string): string => momentOf(local, pageLocale().timeZone)?.toISOString() ?? local

/** A field of a form, as the error summary names it. */
export interface SummaryField {
  name: string
  label: string
  /** The ID of the element to which the summary links; by default, the name of the field. */
  id?: string
}

/**
 * Renders a summary of the errors of a rejected form, to be shown above its fields. Each error has a link to its field.
 * The summary has the focus when the page opens.
 * @param fields all fields of the form that can have an error, in the order of the page
 */
export function errorSummary(rejected: FormErrors | undefined, fields: readonly SummaryField[]): Part {
  if (!rejected) return undefined
  const { errors, general } = rejected
  if (general !== undefined) return alert(general)
  return html`<div class="alert" role="alert" tabindex="-1" autofocus>
    <p>${t('Nothing was saved. Fix the errors below.')}</p>
    <ul>
      ${fields
        .filter(({ name }) => errors.has(name))
        .map(
          ({ name, label, id = name }) =>
            html`<li><a href="#${id}">${errorSentence(label, errors.get(name)!)}</a></li>`,
        )}
    </ul>
  </div>`
}

/**
 * Renders a button that copies the text of an element. The page must load the script `copy.js`. In browsers without
 * scripts, the button is hidden.
 */
export const copyButton = (id: string, label: string): Html =>
  html`<button type="button" class="small" data-copy="${id}" aria-label="${label}" hidden>Copy</button>`

/**
 * Renders an error in an imported table. The text begins with the position of the error in the file: `Row 3: email must
 * be an email address`.
 */
export function tableErrorText(error: FieldError): Html {
  const message = errorText(error)
  return html`<strong>${placeOf(error.field)}</strong>${isPredicate(message) ? ' ' : ': '}${message}`
}

/** Returns the position of an error: the file, `row 3`, `row 3: email`, `column 2` or the name of a column. */
function placeOf(field: string): string {
  if (field === 'body') return t('The file')
  const [, kind, number, rest = ''] = /^(row|column) (\d+)(.*)$/s.exec(field) ?? []
  if (number === undefined) return capitalize(field)
  return `${kind === 'row' ? t('Row {number}', { number }) : t('Column {number}', { number })}${rest}`
}
