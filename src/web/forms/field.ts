import { Problem } from '../../domain/problem.ts'
import { type Html, html, type Part } from '../../lib/html.ts'

/** What is wrong with a form, by field. */
export type FieldErrorTexts = ReadonlyMap<string, string>

export interface FieldOptions {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'number' | 'date' | 'time' | 'datetime-local' | 'color'
  value?: string
  hint?: string
  autocomplete?: string
  required?: boolean
  /** Of a text of several lines: it is written for people, not for machines. */
  prose?: boolean
  rows?: number
  faults?: FieldErrorTexts
}

/** A labelled input with its hint and what is wrong with it. */
export function field({
  name,
  label,
  type = 'text',
  value = '',
  hint,
  autocomplete,
  required = false,
  faults: errors,
}: FieldOptions): Html {
  const fieldError = errors?.get(name)
  const described = [hint && `${name}-hint`, fieldError && `${name}-fault`].filter(Boolean).join(' ')
  return html`<div class="field"><label for="${name}">${label}</label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}${
    fieldError && html`<p class="fault" id="${name}-fault">${fieldError}</p>`
  }<input class="box" id="${name}" name="${name}" type="${type}" value="${value}"${autocomplete && html` autocomplete="${autocomplete}"`}${
    required && html` required`
  }${described && html` aria-describedby="${described}"`}${fieldError && html` aria-invalid="true"`}></div>`
}

/** The same for a text of several lines. */
export function area({ name, label, value = '', hint, prose = false, rows = 10, faults: errors }: FieldOptions): Html {
  const fieldError = errors?.get(name)
  const described = [hint && `${name}-hint`, fieldError && `${name}-fault`].filter(Boolean).join(' ')
  return html`<div class="field"><label for="${name}">${label}</label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}${
    fieldError && html`<p class="fault" id="${name}-fault">${fieldError}</p>`
  }<textarea class="${prose ? 'box' : 'box code'}" id="${name}" name="${name}" rows="${rows}"${!prose && html` spellcheck="false"`}${described && html` aria-describedby="${described}"`}${
    fieldError && html` aria-invalid="true"`
  }>${value}</textarea></div>`
}

/** Above a form that was refused: what is wrong as a whole. */
export const alert = (text: Part): Part => text && html`<p class="alert" role="alert">${text}</p>`

const sentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`

/** Kinds of refusals that no other input avoids. */
const UNMENDABLE: ReadonlySet<Problem['kind']> = new Set(['missing', 'forbidden', 'too_many'])

/**
 * What a refusal says about each field of a form, and about the form where it names no field of it.
 * @throws the error when it is no refusal that the sender of a form can mend
 */
export function faultsOf(
  error: unknown,
  fields: readonly string[],
): { faults: FieldErrorTexts; general: string | undefined } {
  if (!(error instanceof Problem) || UNMENDABLE.has(error.kind)) throw error
  const errors = new Map(
    error.errors.filter(({ field }) => fields.includes(field)).map(({ field, message }) => [field, sentence(message)]),
  )
  return { faults: errors, general: errors.size === 0 ? error.message : undefined }
}
