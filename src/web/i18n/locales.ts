import type { Context as Koa } from 'koa'
import type { ValueError } from '../../domain/field-error.ts'
import type { AnswerErrorCode } from '../../domain/structure/answer-error.ts'
import { writeNumber } from '../../domain/structure/number-notation.ts'
import { languages } from '../../domain/text/catalog.ts'
import { fill, type Text } from '../../domain/text/text.ts'
import type { Texts } from '../../domain/text/texts.ts'

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
export const inNotation = (values: Values = {}, language: string): Values =>
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
