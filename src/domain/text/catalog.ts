import { byLanguage, mainForm, type Text, withPlurals } from '../../lib/texts.ts'
import type privacy from '../../texts/en/privacy.json'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import type { Texts, WrittenTexts } from './texts.ts'

/** Texts of the service by language code. Each language is complete. */
export const languages = byLanguage<WrittenTexts, Texts>('respondent.json', withPlurals)

/** Returns a language code without script and region, in lower case. */
export const baseLanguage = (code: string): string => code.toLowerCase().split(/[-_]/, 1)[0]!

/** The texts of the pages of a survey in one language. */
interface LocalizedTexts {
  texts: Texts
  /** The language of the default texts. */
  language: string
  /** The texts that the owner of the survey wrote, in the language of the page. */
  own: ReadonlySet<unknown>
}

/** Codes of Chinese in traditional characters. */
const TRADITIONAL_CHINESE = /^zh[-_](?:hant|tw|hk|mo)\b/i

/** Returns the default texts in a language, and their language. If there is no translation, both are English. */
export function defaultTexts(code: string): Omit<LocalizedTexts, 'own'> {
  const base = baseLanguage(code)
  return Object.hasOwn(languages, base)
    ? { texts: languages[base]!, language: TRADITIONAL_CHINESE.test(code) ? 'zh-Hans' : code }
    : { texts: languages.en!, language: 'en' }
}

/** Returns whether the service has its texts in a language, or the owner has written all of them. */
export function isComplete(code: string, overrides: TextOverrides): boolean {
  const base = baseLanguage(code)
  if (Object.hasOwn(languages, base)) return true
  const own = { ...overrides[base], ...overrides[code] }
  return Object.keys(changeableTexts(languages.en!)).every((name) => Object.hasOwn(own, name))
}

/**
 * The texts of the page about the data that a survey stores, by language code. Unlike the other texts of survey pages,
 * the owner of a survey cannot replace them.
 */
export const privacyTexts = byLanguage<PrivacyTexts>('privacy.json')
export type PrivacyTexts = Readonly<Record<keyof typeof privacy, string>>

/** Returns the texts in a language, and their language. If there is no translation, both are English. */
export function privacyTextsFor(code: string): { texts: PrivacyTexts; language: string } {
  const { language } = defaultTexts(code)
  return { texts: privacyTexts[baseLanguage(language)]!, language }
}

const merged = new WeakMap<TextOverrides, Map<string, LocalizedTexts>>()
const NO_OVERRIDES: TextOverrides = Object.freeze({})

/**
 * Returns the texts in a language. The texts of the owner replace the default texts: those of `fr` also apply to
 * `fr-CA`.
 * @param overrides the texts of the owner; the result is cached for this object
 */
export function textsFor(code: string, overrides: TextOverrides = NO_OVERRIDES): LocalizedTexts {
  let byLanguage = merged.get(overrides)
  if (!byLanguage) {
    byLanguage = new Map()
    merged.set(overrides, byLanguage)
  }
  let localized = byLanguage.get(code)
  if (!localized) {
    const { texts, language } = defaultTexts(code)
    const codes = [...new Set([baseLanguage(code), code])].filter((one) => Object.hasOwn(overrides, one))
    const own = Object.assign({}, ...codes.map((one) => overrides[one])) as Readonly<Record<string, string>>
    localized = { texts: withOverrides(texts, own), language, own: new Set(Object.values(own)) }
    // Outside surveys, visitors choose the language code, so the number of stored languages is limited.
    if (byLanguage.size < MAX_STORED_LANGUAGES) byLanguage.set(code, localized)
  }
  return localized
}
const MAX_STORED_LANGUAGES = 200

/** Languages that are written from right to left. */
const rightToLeft = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** Returns the writing direction of a language (`dir` of HTML). */
export const directionOf = (code: string): 'ltr' | 'rtl' => (rightToLeft.has(baseLanguage(code)) ? 'rtl' : 'ltr')

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
function withOverrides(texts: Texts, own: Readonly<Record<string, string>>): Texts {
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
