import { de } from './locales/de.ts'
import { en } from './locales/en.ts'
import { es } from './locales/es.ts'
import { fr } from './locales/fr.ts'
import { it } from './locales/it.ts'
import { nl } from './locales/nl.ts'
import { pt } from './locales/pt.ts'
import type { FaultMessage, Words } from './texts.ts'

export type { Words } from './texts.ts'

/** The languages the service itself speaks. */
export const languages: Readonly<Record<string, Words>> = { en, fr, de, es, it, nl, pt }

const base = (code: string): string => code.toLowerCase().split(/[-_]/, 1)[0]!

/** The words for a survey in some language, and the language they are in: English where we do not speak the survey's. */
export function wordsFor(code: string): { words: Words; spoken: string } {
  const words = Object.hasOwn(languages, base(code)) ? languages[base(code)] : undefined
  return words ? { words, spoken: code } : { words: en, spoken: 'en' }
}

/** Puts values into the places of a text: `{n}` … */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : place))

/** A value inside one of the domain's messages: something quoted, a number, a date or a time. */
const VALUE = /"(?:[^"\\]|\\.)*"|-?\d(?:[\d.:T-]*\d)?/

/**
 * What is wrong with an answer, in the words of a language; the domain's English message is the key, as in gettext.
 * A message nobody translated (the author's own, too) is given back as it is.
 */
export function translateFault(message: string, { faults: errors }: Words): { text: string; translated: boolean } {
  const value = VALUE.exec(message)?.[0] ?? ''
  const key = value ? message.replace(value, '{n}') : message
  const text = Object.hasOwn(errors, key) ? errors[key as FaultMessage] : undefined
  return text === undefined
    ? { text: message, translated: false }
    : { text: fill(text, { n: value }), translated: true }
}

/** Scripts that are written from right to left. */
const rightToLeft = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** The direction of writing in a language (`dir` of HTML). */
export const directionOf = (code: string): 'ltr' | 'rtl' => (rightToLeft.has(base(code)) ? 'rtl' : 'ltr')
