import type { Context as Koa } from 'koa'
import type { ValueError } from '../../domain/field-error.ts'
import type { AnswerErrorCode } from '../../domain/structure/answer-error.ts'
import { de } from './locales/de.ts'
import { en } from './locales/en.ts'
import { es } from './locales/es.ts'
import { fr } from './locales/fr.ts'
import { it } from './locales/it.ts'
import { nl } from './locales/nl.ts'
import { pt } from './locales/pt.ts'
import type { Texts } from './texts.ts'

/** Texts of the service by language code. */
export const languages: Readonly<Record<string, Texts>> = { en, fr, de, es, it, nl, pt }

const base = (code: string): string => code.toLowerCase().split(/[-_]/, 1)[0]!

/** Returns the texts in a language, and their language. If there is no translation, both are English. */
export function textsFor(code: string): { texts: Texts; language: string } {
  const texts = Object.hasOwn(languages, base(code)) ? languages[base(code)] : undefined
  return texts ? { texts, language: code } : { texts: en, language: 'en' }
}

/** Returns the language of a page outside surveys: the `lang` in the URL, or else the language that the browser prefers. */
export function requestedLanguage(ctx: Koa): string {
  const requested = String(ctx.query.lang)
  return Object.hasOwn(languages, requested) ? requested : ctx.acceptsLanguages(Object.keys(languages)) || 'en'
}

/** Replaces the placeholders of a text, such as `{n}`. */
export const fill = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )

/**
 * Returns the text of an error in a language, by its code. The message of the survey's author (`invalid_answer`) is not
 * translated.
 */
export function translateError(
  { code, message, params }: ValueError,
  { errors }: Texts,
): { text: string; translated: boolean } {
  const text = Object.hasOwn(errors, code) ? errors[code as AnswerErrorCode] : undefined
  return text === undefined
    ? { text: message, translated: false }
    : { text: fill(text, params as Readonly<Record<string, string | number>> | undefined), translated: true }
}

/** Languages that are written from right to left. */
const rightToLeft = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** Returns the writing direction of a language (`dir` of HTML). */
export const directionOf = (code: string): 'ltr' | 'rtl' => (rightToLeft.has(base(code)) ? 'rtl' : 'ltr')
