import { detail } from '../error-details.ts'
import type { ValueError } from '../field-error.ts'
import { type AnswerErrorCode, answerError } from './answer-error.ts'
import { parseIsoDatetime } from './datetime.ts'
import { CHECK, type Schema } from './json-schema.ts'
import type { Question } from './questionnaire.ts'

/** A limit of a date: a day, or a number of days before or after the day of the answer. */
const DAY_LIMIT = String.raw`^(\d{4}-\d{2}-\d{2}|today([+-]\d{1,5})?)$`
const PATTERN = new RegExp(DAY_LIMIT)
const MAX_DAY_LIMIT_CHARACTERS = 11

/** Reports whether a value is a limit of a date, such as `2026-01-31`, `today` or `today-7`. */
export const isDayLimit = (value: unknown): value is string =>
  typeof value === 'string' &&
  PATTERN.test(value) &&
  (value.startsWith('today') || parseIsoDatetime(value) !== undefined)

/** Returns the schema of a limit of a date. */
export const dayLimit = (examples: readonly string[], description: string): Schema => ({
  type: 'string',
  pattern: DAY_LIMIT,
  maxLength: MAX_DAY_LIMIT_CHARACTERS,
  examples,
  description,
  [CHECK](errors, pointer, value) {
    if (typeof value !== 'string') errors.addType(pointer, 'type_string')
    else if (!isDayLimit(value)) errors.add(pointer, 'invalid_format', {}, detail('day_limit'))
  },
})

const DAY_MS = 86_400_000
/** Time zones are at most 14 hours ahead of UTC, and 12 hours behind it. */
const MAX_AHEAD_MS = 14 * 3_600_000
const MAX_BEHIND_MS = 12 * 3_600_000

const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/**
 * Returns the day of a limit. The time zone of the respondent is not known, so `today` is the day of the time zone that
 * accepts more: the latest one for a last day, the earliest one for a first day.
 * @param now undefined if the time of the answer is not known; `today` is then no limit
 */
function dayOfLimit(limit: string, now: Date | undefined, isLast: boolean): string | undefined {
  if (!limit.startsWith('today')) return limit
  if (!now) return undefined
  const offset = Number(limit.slice('today'.length) || 0)
  return dayOf(now.getTime() + (isLast ? MAX_AHEAD_MS : -MAX_BEHIND_MS) + offset * DAY_MS)
}

/** Returns the error of a date, or a date and time, before or after the limits of its question, if any. */
export function validateDay(
  { earliest, latest }: Question,
  value: string,
  now: Date | undefined,
): ValueError | undefined {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0]
  if (day === undefined) return undefined
  const error = (code: AnswerErrorCode, name: 'min' | 'max', limit: string) => answerError(code, { [name]: limit })
  const first = earliest === undefined ? undefined : dayOfLimit(earliest, now, false)
  if (first !== undefined && day < first) return error('too_early', 'min', first)
  const last = latest === undefined ? undefined : dayOfLimit(latest, now, true)
  return last !== undefined && day > last ? error('too_late', 'max', last) : undefined
}
