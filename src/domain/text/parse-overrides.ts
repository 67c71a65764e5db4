import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { languages } from './catalog.ts'
import { changeableTexts, type TextOverrides } from './overrides.ts'
import { mainForm } from './text.ts'

/**
 * Texts to change, by language code and name. Null or an empty text restores the default text. Null in place of the
 * texts of a language restores all default texts of this language.
 */
export type TextsChange = Readonly<Record<string, Readonly<Record<string, string | null | undefined>> | null>>

export const MAX_TEXT_CHARACTERS = 1_000
const MAX_LANGUAGES = 100
const LANGUAGE_CODE = /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/
const MAX_CODE_CHARACTERS = 35

const english = changeableTexts(languages.en!)

/** Returns the names of the texts that owners can change. */
export const textNames: readonly string[] = Object.keys(english)

/** Returns the placeholders of a text, such as `{n}`. They are the same in all languages. */
export const placeholdersOf = (name: string): string[] => [
  ...new Set(mainForm(english[name] ?? '').match(/\{\w+\}/g) ?? []),
]

/**
 * Applies a change to the texts of an owner. Languages and texts that the change does not name are kept.
 * @throws {Problem} `invalid_request` naming each text that is unknown, too long, or lacks a placeholder
 */
export function parseOverrides(change: TextsChange, current: TextOverrides): TextOverrides {
  const errors: FieldError[] = []
  const after: Record<string, Readonly<Record<string, string>>> = { ...current }
  for (const [code, texts] of Object.entries(change)) {
    if (!LANGUAGE_CODE.test(code) || code.length > MAX_CODE_CHARACTERS) {
      errors.push(fieldError(`texts.${code}`, 'invalid_name', {}, detail('language_code')))
      continue
    }
    const entries = Object.entries(texts ?? {}).filter(([, text]) => text !== undefined)
    errors.push(...entries.flatMap(([name, text]) => textError(`texts.${code}.${name}`, name, text ?? '') ?? []))
    const kept = texts === null ? {} : current[code]
    const all = Object.entries({ ...kept, ...Object.fromEntries(entries) }).map(([name, text]) => [name, text?.trim()])
    after[code] = Object.fromEntries(all.filter(([, text]) => text))
  }
  const used = Object.entries(after).filter(([, texts]) => Object.keys(texts).length > 0)
  if (used.length > MAX_LANGUAGES) errors.push(fieldError('texts', 'too_many', { max: MAX_LANGUAGES }))
  if (errors.length > 0) throw problems.invalid(errors)
  return Object.fromEntries(used)
}

function textError(field: string, name: string, text: string): FieldError | undefined {
  if (!Object.hasOwn(english, name)) return fieldError(field, 'unknown_property')
  if (text.trim() === '') return undefined
  if (text.length > MAX_TEXT_CHARACTERS) return fieldError(field, 'too_long', { max: MAX_TEXT_CHARACTERS })
  const missing = placeholdersOf(name).find((placeholder) => !text.includes(placeholder))
  return missing === undefined ? undefined : fieldError(field, 'missing_placeholder', { placeholder: missing })
}
