import type { LanguageText } from './questionnaire.ts'
import { isRecord } from './walk.ts'

/**
 * Converts an authored text to a language object. A string becomes the text of the given language.
 * @returns undefined for a value that is not a text
 */
export function toLanguageText(value: unknown, code: string): LanguageText | undefined {
  if (typeof value === 'string') return { [code]: value }
  return isRecord(value) ? (value as LanguageText) : undefined
}

/** Returns a frozen copy of a language object, reduced to its string members. */
export function textOf(value: unknown): LanguageText {
  const entries = isRecord(value) ? Object.entries(value) : []
  return Object.freeze(
    Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  )
}
