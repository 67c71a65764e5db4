import type { Context as Koa } from 'koa'
import type { ValueError } from '../../domain/field-error.ts'
import type { AnswerErrorCode } from '../../domain/structure/answer-error.ts'
import { writeNumber } from '../../domain/structure/number.ts'
import type { Answers, LanguageText, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { type PipeContext, pipe, textIn } from '../../domain/structure/text.ts'
import { directionOf, languages, type TextOverrides, textsFor } from '../../domain/text/catalog.ts'
import type { Texts } from '../../domain/text/texts.ts'
import { html, type Part } from '../../lib/html.ts'
import { fill, type Text } from '../../lib/texts.ts'
import { pageLanguage } from './page-locale.ts'

/**
 * Returns texts of a survey and of the service in the language of a survey page. Texts that are available only in
 * another language are marked with `lang`.
 */
export interface Translator {
  language: string
  texts: Texts
  /**
   * Returns a text of the survey as plain text, for attributes and the window title. Replaces placeholders with
   * answers.
   */
  plainText(text: LanguageText | undefined): string
  /** Returns a text of the survey as HTML, with `lang` if the text is not in the language of the page. */
  surveyText(text: LanguageText | undefined): Part
  /** Returns a text of the service. */
  text(template: Text, values?: Readonly<Record<string, string | number>>): Part
  /** Returns the text of an error in an answer. */
  errorText(error: ValueError): Part
  /** Returns the text of an error in an answer as plain text, for replies to scripts. */
  errorMessage(error: ValueError): string
}

/**
 * Maximum total length of the answers that replace placeholders in the texts of a page. Placeholders for further
 * answers become empty.
 */
const MAX_PIPED_CHARACTERS_PER_PAGE = 100_000

/** Matches letters of writing systems that are written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu
const LETTER = /\p{L}/gu

/**
 * Marks a text of the author with its direction if most of its letters have another direction than the page. An example
 * is an Arabic text in a survey whose language is English.
 */
export function inOwnDirection(text: string, pageLanguage: string): Part {
  const rightToLeft = text.match(RIGHT_TO_LEFT)?.length ?? 0
  const pageDirection = directionOf(pageLanguage)
  if (rightToLeft === 0 && pageDirection === 'ltr') return text
  const letters = text.match(LETTER)?.length ?? 0
  const direction = rightToLeft * 2 > letters ? 'rtl' : 'ltr'
  return letters === 0 || direction === pageDirection ? text : html`<span dir="${direction}">${text}</span>`
}

/** Marks a text with its language if the page is in another language. */
const inLanguage = (text: string, language: string, pageLanguage: string): Part =>
  language === pageLanguage ? text : html`<span lang="${language}" dir="${directionOf(language)}">${text}</span>`

/** Returns the language of the text that `textIn` returns. */
function languageOf(text: LanguageText, language: string, q: Questionnaire): string {
  const base = language.split(/[-_]/, 1)[0]!
  if (text[language] || text[base]) return language
  return text[q.defaultLanguage] ? q.defaultLanguage : (Object.keys(text).find((code) => text[code]) ?? language)
}

/**
 * Returns the translator for a questionnaire in one of the languages of the questionnaire.
 * @param answers the answers that replace placeholders in texts
 * @param invite the fields of the invited contact that replace placeholders in texts
 * @param overrides texts of the owner that replace texts of the service
 * @param missing returns the text for a placeholder without a value; by default, it is empty
 */
export function translatorFor(
  q: Questionnaire,
  language: string,
  answers: Answers,
  invite: Readonly<Record<string, string>> = {},
  overrides?: TextOverrides,
  missing?: PipeContext['missing'],
): Translator {
  const service = textsFor(language, overrides)
  const languageOfService = (template: unknown) => (service.own.has(template) ? language : service.language)
  const context = {
    q,
    answers,
    language,
    invite,
    renderedValues: new Map<string, string>(),
    values: new Map<string, string>(),
    ...(missing && { missing }),
  }
  const withoutAnswers = { ...context, answers: {}, invite: {}, renderedValues: new Map(), values: new Map() }
  let remaining = MAX_PIPED_CHARACTERS_PER_PAGE
  const plain = (text: LanguageText = {}) => {
    const template = textIn(text, language, q)
    const filled = pipe(template, remaining > 0 ? context : withoutAnswers)
    remaining -= Math.max(0, filled.length - template.length)
    return filled
  }
  return {
    language,
    texts: service.texts,
    plainText: plain,
    surveyText: (text = {}) => {
      const own = languageOf(text, language, q)
      return own === language ? inOwnDirection(plain(text), language) : inLanguage(plain(text), own, language)
    },
    text: (template, values = {}) =>
      inLanguage(fill(template, inNotation(values, language)), languageOfService(template), language),
    errorMessage: (error) => translateError(error, service.texts, language).text,
    errorText: (error) => {
      const { text, template } = translateError(error, service.texts, language)
      return template === undefined ? text : inLanguage(text, languageOfService(template), language)
    },
  }
}

/**
 * Returns the language of a survey page. It is the requested language, otherwise the language of the response,
 * otherwise a language that the browser prefers, otherwise the default language of the survey.
 */
export function languageFor(
  { languages, defaultLanguage }: Questionnaire,
  requested: string | undefined,
  stored: string | undefined,
  preferred: (codes: string[]) => string | false,
): string {
  const codes = languages.map(({ code }) => code)
  const find = (code: string | undefined) => codes.find((one) => one.toLowerCase() === code?.toLowerCase())
  const otherCodes = codes.filter((code) => code !== defaultLanguage)
  if (otherCodes.length === 0) return defaultLanguage
  return find(requested) ?? find(stored) ?? (preferred([defaultLanguage, ...otherCodes]) || defaultLanguage)
}

/**
 * Returns the language of a page that respondents see but that is not part of a survey, such as the unsubscribe page:
 * the `lang` in the URL, or else a language that the browser prefers.
 */
export function requestedLanguage(ctx: Koa): string {
  const requested = String(ctx.query.lang)
  return Object.hasOwn(languages, requested) ? requested : ctx.acceptsLanguages(Object.keys(languages)) || 'en'
}

type Values = Readonly<Record<string, string | number>>

/** Returns the values of placeholders, with fractions in the notation of a language. */
const inNotation = (values: Values = {}, language: string): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' || Number.isInteger(value) ? value : writeNumber(value, language),
    ]),
  )

/**
 * Returns the text of an error in a language, by its code. A message that the author of the survey wrote (code
 * `invalid_answer`) is not translated.
 */
export function translateError(
  { code, message, params }: ValueError,
  { errors }: Texts,
  language: string,
): { text: string; template?: Text } {
  const text = Object.hasOwn(errors, code) ? errors[code as AnswerErrorCode] : undefined
  return text === undefined
    ? { text: message }
    : { text: fill(text, inNotation(params as Values | undefined, language)), template: text }
}

/** Returns the items as a list in the language of the page: “read and write”. */
export const formatList = (items: readonly string[]): string =>
  new Intl.ListFormat(pageLanguage(), { type: 'conjunction' }).format(items)
