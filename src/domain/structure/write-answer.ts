import { parseIsoDatetime, withoutZone } from './datetime.ts'
import { isKnownLanguage, isNumberInput, isNumericText, readNumber, writeNumber } from './number.ts'
import type { Answer, Answers, Field, Questionnaire } from './questionnaire.ts'

/**
 * Writes numbers and times for people, in the notation of a language; all other values, and texts that are not in
 * normal form, as they are. The API and exports write the normal form.
 */
export function writeValue(field: Field, value: string | number, language: string): string {
  if (field.type === 'datetime') return writeTime(String(value), language)
  return isNumber(field, value) ? writeNumber(value, language) : String(value)
}

/** Reports whether people write an answer to a field in the notation of their language. */
export const hasNotation = (field: Field, value: Answer): value is string | number =>
  typeof value === 'string' ? field.type === 'datetime' || isNumber(field, value) : isNumber(field, value)

/**
 * Returns answers as the values of a survey page, on which {@link parseAnswer} reads them again in this language. The
 * number field of a slider and the fields for dates have the same notation in every language.
 */
export function formValues(q: Questionnaire, answers: Answers, language: string): Answers {
  const entries = Object.entries(answers).map(([key, value]): [string, Answer] => {
    const field = q.byKey.get(key)
    return field && !isNumberInput(field.question) && isNumber(field, value)
      ? [key, writeNumber(value, language)]
      : [key, value]
  })
  return Object.fromEntries(entries)
}

/** Reports whether an answer is a number, or a text that is a number in normal form. */
function isNumber(field: Field, value: Answer): value is number | string {
  if (field.type === 'decimal') return typeof value === 'number'
  return typeof value === 'string' && isNumericText(field) && NORMAL_FORM.test(value) && readNumber(value) !== undefined
}

const NORMAL_FORM = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/

const formats = new Map<string, Intl.DateTimeFormat>()
const MAX_CACHED_FORMATS = 1_000

/** Writes a date or time in a language, with the time zone that the text names. */
function writeTime(text: string, language: string): string {
  const parsed = parseIsoDatetime(text.trim())
  const tag = language.replaceAll('_', '-')
  if (!parsed || !isKnownLanguage(tag)) return text.replace('T', ' ')
  const time = withoutZone(text.trim().replace(' ', 'T'))
  const zone = text.trim().slice(time.length)
  const local = parseIsoDatetime(time)!
  const hasSeconds = /\d\d:\d\d:(?!00(?:[.,]0+)?$)/.test(time)
  const written = formatFor(tag, local.format, hasSeconds).format(local.instant)
  return zone ? `${written} ${zone.toUpperCase() === 'Z' ? 'UTC' : zone}` : written
}

function formatFor(tag: string, format: 'datetime' | 'date' | 'time', hasSeconds: boolean): Intl.DateTimeFormat {
  const key = `${tag} ${format} ${hasSeconds}`
  const cached = formats.get(key)
  if (cached) return cached
  if (formats.size >= MAX_CACHED_FORMATS) formats.clear()
  const created = new Intl.DateTimeFormat(tag, {
    calendar: 'gregory',
    timeZone: 'UTC',
    ...(format !== 'time' && { dateStyle: 'long' }),
    ...(format !== 'date' && { timeStyle: hasSeconds ? 'medium' : 'short' }),
  })
  formats.set(key, created)
  return created
}
