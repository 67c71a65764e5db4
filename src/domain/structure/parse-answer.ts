import type { ValueError } from '../field-error.ts'
import { answerError, MAX_TEXT_CHARACTERS, notAChoice } from './answer-error.ts'
import { momentOf } from './datetime.ts'
import { choiceIndex, parseBoolean, removedIndex } from './pick.ts'
import type { Answer, Field } from './questionnaire.ts'

/** A stored value (`undefined` for an empty one), or an error. */
export type ParsedValue = { value: Answer | undefined } | { error: ValueError }

/** Reports whether a value is empty: null, an empty string, an empty list or a list of empty values. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.every(isEmpty))

/** A function that finds the index of the choice in an answer. */
export type Pick = (field: Field, value: unknown) => number | undefined

/** Finds offered and removed choices: for pages opened before the removal, and for imports. */
export const pickAny: Pick = (field, value) => choiceIndex(field, value) ?? removedIndex(field, value)

/** Parses a submitted value. A list with one element counts as that element where a single value is expected. */
export function parseAnswer(field: Field, sent: unknown, pick: Pick = choiceIndex): ParsedValue {
  if (isEmpty(sent)) return { value: undefined }
  if (field.type === 'multi' || field.type === 'ranking') return readList(field, sent, pick)
  const filled = Array.isArray(sent) ? sent.filter((value) => !isEmpty(value)) : [sent]
  if (filled.length > 1) return { error: answerError('single_answer') }
  const value: unknown = filled[0]
  switch (field.type) {
    case 'single':
    case 'number':
      return picked(pick(field, value), value)
    case 'boolean':
      return picked(parseBoolean(field, value), value)
    case 'datetime':
      return readDatetime(field, value)
    default:
      return readText(value)
  }
}

const picked = (read: Answer | undefined, sent: unknown): ParsedValue =>
  read === undefined ? { error: notAChoice(sent) } : { value: read }

function readText(value: unknown): ParsedValue {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { error: answerError('invalid_type', { type: 'a text' }) }
  }
  const text = String(value)
  if (typeof value === 'number' && !isExact(value, text))
    return { error: answerError('too_large', {}, 'has more digits than a number can hold; send it as a string') }
  if (text.length > MAX_TEXT_CHARACTERS) return { error: answerError('too_long', { max: MAX_TEXT_CHARACTERS }) }
  if (text.includes('\0') || !text.isWellFormed()) return { error: answerError('invalid_characters') }
  return { value: text }
}

/**
 * Reports whether a JSON number is stored in its original notation. A number with an exponent may have been written in
 * digits.
 */
const isExact = (value: number, text: string) =>
  !text.includes('e') && (!Number.isInteger(value) || Number.isSafeInteger(value))

const datetimeErrors = {
  datetime: ['invalid_datetime', '2026-03-14T15:09:26'],
  date: ['invalid_date', '2026-03-14'],
  time: ['invalid_time', '15:09'],
} as const

function datetimeError(format: keyof typeof datetimeErrors): ValueError {
  const [code, example] = datetimeErrors[format]
  return answerError(code, { example })
}

function readDatetime({ question: { format } }: Field, value: unknown): ParsedValue {
  const text = typeof value === 'string' ? value.trim() : ''
  const moment = momentOf(text)
  // Without an authored format, a date alone is sufficient.
  const fits = moment && (format ? moment.format === format : moment.format !== 'time')
  if (!fits) return { error: datetimeError(format ?? 'datetime') }
  return { value: text.replace(' ', 'T') }
}

/** Parses a list: a JSON array, a repeated key, JSON as text, one index or label, or several separated by commas. */
function readList(field: Field, sent: unknown, pick: Pick): ParsedValue {
  const indices: number[] = []
  for (const part of partsOf(field, sent, pick)) {
    if (isEmpty(part)) continue
    const index = pick(field, part)
    if (index === undefined) return { error: notAChoice(part) }
    const known = indices.includes(index)
    if (known && field.type === 'ranking')
      return { error: answerError('duplicate', {}, 'must not rank a choice twice') }
    if (!known) indices.push(index)
  }
  if (indices.length === 0) return { value: undefined }
  return { value: field.type === 'ranking' ? indices : indices.sort((a, b) => a - b) }
}

function partsOf(field: Field, sent: unknown, pick: Pick): readonly unknown[] {
  if (Array.isArray(sent)) return sent.length === 1 ? partsOf(field, sent[0], pick) : sent
  if (typeof sent !== 'string' || pick(field, sent) !== undefined) return [sent]
  if (sent.trim().startsWith('[')) return parsedList(sent) ?? [sent]
  // A text beyond the limit cannot be a list of choices and is not split.
  return sent.length > MAX_TEXT_CHARACTERS ? [sent] : sent.split(',').map((part) => part.trim())
}

function parsedList(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
