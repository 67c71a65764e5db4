import { plainText } from '../../lib/strings.ts'
import { type ValueError, valueError } from '../field-error.ts'
import { answerError, MAX_TEXT_CHARACTERS, notAChoice } from './answer-error.ts'
import { ambiguousCode, choiceIndex, indexOfCode, labelledIndex, parseBoolean, removedIndex } from './choices.ts'
import { parseIsoDatetime } from './datetime.ts'
import { fileKeyIn, submittedFiles } from './file-answer.ts'
import { parseNumber } from './number.ts'
import type { Answer, Field } from './questionnaire.ts'
import { normaliseText } from './text-validation.ts'

/** A parsed answer (`undefined` for an empty value), or an error. */
export type ParsedValue = { value: Answer | undefined } | { error: ValueError }

/** Reports whether a value is empty: null, an empty string, an empty list or a list of empty values. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.every(isEmpty))

/** Finds the index of the choice that a submitted value identifies. */
export type ChoiceLookup = (field: Field, value: unknown) => number | undefined

/** What the values of a table stand for. */
export const choiceValues = ['auto', 'indices', 'labels'] as const
export type ChoiceValues = (typeof choiceValues)[number]

/** How submitted values are read. */
export interface Reading {
  /** Finds the choice of an answer; absent: only choices of the current structure. */
  lookup?: ChoiceLookup
  /**
   * What texts stand for that are the index or the code of a choice and the label of another: `indices` (the default),
   * `labels`, or with `auto` an error. With `codes`, every value is a code (choice-codes.ts).
   */
  values?: ChoiceValues | 'codes'
  /** The language of the page on which the values were entered; absent in requests of programs. */
  language?: string
}

/** Finds present and removed choices, for imports and for pages opened before a choice was removed. */
export const anyChoiceIndex: ChoiceLookup = (field, value) => choiceIndex(field, value) ?? removedIndex(field, value)

/** Parses a submitted value. If a single value is expected, a list with one element is treated as this element. */
export function parseAnswer(field: Field, submitted: unknown, reading: Reading = {}): ParsedValue {
  const { language } = reading
  if (isEmpty(submitted)) return { value: undefined }
  if (field.type === 'multi' || field.type === 'ranking') return parseList(field, submitted, reading)
  if (field.type === 'file') return parseFiles(submitted)
  const values = Array.isArray(submitted) ? submitted.filter((value) => !isEmpty(value)) : [submitted]
  if (values.length > 1) return { error: answerError('single_answer') }
  const value: unknown = values[0]
  switch (field.type) {
    case 'single':
    case 'number':
    case 'boolean':
      return choiceResult(findChoice(field, value, reading), value)
    case 'decimal':
      return parseNumber(field.question, value, language)
    case 'datetime':
      return parseDatetime(field, value)
    default:
      return normalised(field, parseText(value), language)
  }
}

/** Returns the choice that a value identifies: an index, or for a yes-no question a boolean. */
function findChoice(
  field: Field,
  value: unknown,
  { lookup = choiceIndex, values = 'indices' }: Reading,
): number | boolean | ValueError | undefined {
  if (values === 'codes' && typeof value === 'string') return choiceWithCode(field, value)
  const byIndex = field.type === 'boolean' ? parseBoolean(field, value) : lookup(field, value)
  if (values === 'indices' || typeof value !== 'string') return byIndex
  const index = labelledIndex(field, value)
  if (index === undefined) return byIndex
  const byLabel = field.type === 'boolean' ? index === 0 : index
  if (values === 'labels') return byLabel
  if (byIndex === byLabel || (byIndex === undefined && !ambiguousCode(field, value))) return byIndex
  return valueError('ambiguous_choice', { value: value.slice(0, 60) })
}

function choiceWithCode(field: Field, code: string): number | boolean | undefined {
  const index = indexOfCode(field, code)
  if (field.type !== 'boolean') return index
  return index === undefined ? parseBoolean(field, code) : index === 0
}

function choiceResult(answer: number | boolean | ValueError | undefined, submitted: unknown): ParsedValue {
  if (answer === undefined) return { error: notAChoice(submitted) }
  return typeof answer === 'object' ? { error: answer } : { value: answer }
}

function parseText(value: unknown): ParsedValue {
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

/** Returns the normal form of a text answer to a question for a number, a telephone number or an email address. */
function normalised(field: Field, parsed: ParsedValue, language: string | undefined): ParsedValue {
  if ('error' in parsed || typeof parsed.value !== 'string') return parsed
  const text = normaliseText(field, parsed.value, language)
  return typeof text === 'string' ? { value: text === '' ? undefined : text } : { error: text }
}

/**
 * Returns whether the text that JavaScript writes for a JSON number has the digits that the client sent. A number that
 * JavaScript writes with an exponent is treated as inexact, because the client may have sent more digits than
 * JavaScript stores.
 */
const isExact = (value: number, text: string) =>
  !text.includes('e') && (!Number.isInteger(value) || Number.isSafeInteger(value))

/** Parses keys or addresses of files: a list, or a text that separates them by spaces or commas. */
function parseFiles(submitted: unknown): ParsedValue {
  const keys = new Set<string>()
  for (const value of submittedFiles(submitted)) {
    const key = fileKeyIn(value)
    if (key === undefined) return { error: answerError('file_not_found') }
    keys.add(key)
  }
  return keys.size > 0 ? { value: [...keys].join(' ') } : { error: answerError('file_not_found') }
}

const datetimeErrors = {
  datetime: ['invalid_datetime', '2026-03-14T15:09:26'],
  date: ['invalid_date', '2026-03-14'],
  time: ['invalid_time', '15:09'],
} as const

function datetimeError(format: keyof typeof datetimeErrors): ValueError {
  const [code, example] = datetimeErrors[format]
  return answerError(code, { example })
}

function parseDatetime({ question: { format } }: Field, value: unknown): ParsedValue {
  const text = typeof value === 'string' ? plainText(value) : ''
  const datetime = parseIsoDatetime(text)
  // If the author set no format, the time is optional.
  const isValid = datetime && (format ? datetime.format === format : datetime.format !== 'time')
  if (!isValid) return { error: datetimeError(format ?? 'datetime') }
  return { value: text.replace(' ', 'T') }
}

/**
 * Parses a list of choices: a JSON array, a repeated key, JSON as text, a single index or label, or several indexes or
 * labels separated by commas.
 */
function parseList(field: Field, submitted: unknown, reading: Reading): ParsedValue {
  const indices: number[] = []
  for (const part of listParts(field, submitted, reading)) {
    if (isEmpty(part)) continue
    const index = findChoice(field, part, reading)
    if (typeof index !== 'number') return { error: typeof index === 'object' ? index : notAChoice(part) }
    const isDuplicate = indices.includes(index)
    if (isDuplicate && field.type === 'ranking')
      return { error: answerError('duplicate', {}, 'must not rank a choice twice') }
    if (!isDuplicate) indices.push(index)
  }
  if (indices.length === 0) return { value: undefined }
  return { value: field.type === 'ranking' ? indices : indices.sort((a, b) => a - b) }
}

function listParts(field: Field, submitted: unknown, reading: Reading): readonly unknown[] {
  if (Array.isArray(submitted)) return submitted.length === 1 ? listParts(field, submitted[0], reading) : submitted
  if (typeof submitted !== 'string' || findChoice(field, submitted, reading) !== undefined) return [submitted]
  if (submitted.trim().startsWith('[')) return parseJsonList(submitted) ?? [submitted]
  // A longer text cannot be a list of choices, so it is not split.
  return submitted.length > MAX_TEXT_CHARACTERS ? [submitted] : submitted.split(',').map((part) => part.trim())
}

function parseJsonList(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
