import type { LanguageText } from './questionnaire.ts'
import { isRecord } from './walk.ts'

/** A text as authored, as a language object of that language when it is plain; nothing when it is no text. */
export function asText(value: unknown, code: string): LanguageText | undefined {
  if (typeof value === 'string') return { [code]: value }
  return isRecord(value) ? (value as LanguageText) : undefined
}

/** A language object of the normalised structure, frozen, without what is no text. */
export function textOf(value: unknown): LanguageText {
  const entries = isRecord(value) ? Object.entries(value) : []
  return Object.freeze(
    Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  )
}
