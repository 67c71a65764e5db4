import type { Text } from './text.ts'
import type { Texts } from './texts.ts'

/** Texts of an owner that replace default texts, by language code and by the names of {@link changeableTexts}. */
export type TextOverrides = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Texts that owners cannot change: the text of an empty survey (docs/specification.md 13.1), and texts that appear only
 * outside surveys or only to testers.
 */
const FIXED: ReadonlySet<string> = new Set<keyof Texts>([
  'empty',
  'testNotice',
  'unsubscribeTitle',
  'unsubscribeQuestion',
  'unsubscribeText',
  'unsubscribe',
  'unsubscribedTitle',
  'surveyNotFoundTitle',
  'pageNotFoundTitle',
  'notFound',
  'serverErrorTitle',
  'serverError',
  'tooLargeTitle',
  'tooLarge',
  'tooManyRequestsTitle',
  'tooManyRequests',
  'errors',
])

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the texts that owners can change, by the names that the API and the stored texts use. */
export function changeableTexts(texts: Texts): Record<string, Text> {
  const { errors, ...others } = texts
  return Object.fromEntries([
    ...Object.entries(others).flatMap(([name, text]) => (FIXED.has(name) ? [] : [[snakeCase(name), text]])),
    ...Object.entries(errors).map(([code, text]) => [`error_${code}`, text]),
  ])
}

/** Returns texts in which the texts of an owner replace the default texts. */
export function withOverrides(texts: Texts, own: Readonly<Record<string, string>>): Texts {
  if (Object.keys(own).length === 0) return texts
  const textOf = (name: string, text: Text): Text => (Object.hasOwn(own, name) ? own[name]! : text)
  const { errors, ...others } = texts
  const members = Object.entries(others).map(([name, text]) => [
    name,
    FIXED.has(name) ? text : textOf(snakeCase(name), text),
  ])
  const errorTexts = Object.entries(errors).map(([code, text]) => [code, textOf(`error_${code}`, text)])
  return { ...Object.fromEntries(members), errors: Object.fromEntries(errorTexts) } as Texts
}
