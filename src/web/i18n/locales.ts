import type { Context as Koa } from 'koa'
import type { ValueError } from '../../domain/field-error.ts'
import type { AnswerErrorCode } from '../../domain/structure/answer-error.ts'
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

/**
 * Returns the text of an error in a language, by its code. A message that the author of the survey wrote (code
 * `invalid_answer`) is not translated.
 */
export function translateError(
  { code, message, params }: ValueError,
  { errors }: Texts,
): { text: string; template?: Text } {
  const text = Object.hasOwn(errors, code) ? errors[code as AnswerErrorCode] : undefined
  return text === undefined
    ? { text: message }
    : { text: fill(text, params as Readonly<Record<string, string | number>> | undefined), template: text }
}
