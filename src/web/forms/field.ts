import { Problem } from '../../domain/problem.ts'
import { type Html, html, type Part } from '../../lib/html.ts'

/** The error messages of a form, by field. */
export type FieldErrorTexts = ReadonlyMap<string, string>

/** The error messages of a rejected form. */
export interface FormErrors {
  errors: FieldErrorTexts
  /** The message that concerns no single field. */
  general: string | undefined
}

export interface FieldOptions {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'number' | 'date' | 'time' | 'datetime-local' | 'color'
  value?: string
  hint?: string
  autocomplete?: string
  required?: boolean
  /** Of a text area: prose rather than code. */
  prose?: boolean
  rows?: number
  errors?: FieldErrorTexts
}

/** Renders the label of a control, its hint and its error before the control itself. */
export function labelled(
  { name, label, hint, errors }: Pick<FieldOptions, 'name' | 'label' | 'hint' | 'errors'>,
  control: (described: Part) => Html,
): Html {
  const error = errors?.get(name)
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field"><label for="${name}">${label}</label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}${
    error && html`<p class="fault" id="${name}-error">${error}</p>`
  }${control(html`${described && html` aria-describedby="${described}"`}${error && html` aria-invalid="true"`}`)}</div>`
}

/** Renders a labelled input. */
export const field = (options: FieldOptions): Html => {
  const { name, type = 'text', value = '', autocomplete, required = false } = options
  return labelled(
    options,
    (described) =>
      html`<input class="box" id="${name}" name="${name}" type="${type}" value="${value}"${autocomplete && html` autocomplete="${autocomplete}"`}${required && html` required`}${described}>`,
  )
}

/** Renders a labelled text area. */
export const textArea = (options: FieldOptions): Html => {
  const { name, value = '', prose = false, rows = 10 } = options
  return labelled(
    options,
    (described) =>
      html`<textarea class="${prose ? 'box' : 'box code'}" id="${name}" name="${name}" rows="${rows}"${!prose && html` spellcheck="false"`}${described}>${value}</textarea>`,
  )
}

/** Renders an error of a whole form, above its fields. */
export const alert = (text: Part): Part => text && html`<p class="alert" role="alert">${text}</p>`

const toSentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`

/** Kinds of Problems that no other input avoids. */
const NOT_CORRECTABLE: ReadonlySet<Problem['kind']> = new Set(['not_found', 'forbidden', 'too_many'])

/** The errors of a rejected form. */
export interface FormErrors {
  errors: FieldErrorTexts
  /** The error of the form as a whole. */
  general: string | undefined
}

/**
 * Returns the messages of a Problem for the fields of a form, and its general message if it concerns none of them.
 * @throws the error if it is not a Problem that other input avoids
 */
export function fieldErrorsOf(error: unknown, fields: readonly string[]): FormErrors {
  if (!(error instanceof Problem) || NOT_CORRECTABLE.has(error.kind)) throw error
  const errors = new Map(
    error.errors
      .filter(({ field }) => fields.includes(field))
      .map(({ field, message }) => [field, toSentence(message)]),
  )
  return { errors, general: errors.size === 0 ? error.message : undefined }
}
