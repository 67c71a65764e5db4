import { momentOf } from './datetime.ts'
import { MAXIMUM_TEXT, notAChoice } from './messages.ts'
import { choiceIndex, parseBoolean, removedIndex } from './pick.ts'
import type { Answer, Field } from './questionnaire.ts'

/** One value as stored (`undefined`: sent, but empty), or why it cannot be. */
export type ReadValue = { value: Answer | undefined } | { fault: string }

/** Nothing to store: null, an empty string, an empty list or a list of such. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.every(isEmpty))

/** Which choices an answer may name. */
export type Pick = (field: Field, value: unknown) => number | undefined

/** Choices that are no longer offered as well: for a page opened before they were removed, and for an import. */
export const pickAny: Pick = (field, value) => choiceIndex(field, value) ?? removedIndex(field, value)

/** Reads one submitted value for a field. A list of one counts as that one where a single value is meant. */
export function parseAnswer(field: Field, sent: unknown, pick: Pick = choiceIndex): ReadValue {
  if (isEmpty(sent)) return { value: undefined }
  if (field.type === 'multi' || field.type === 'ranking') return readList(field, sent, pick)
  const filled = Array.isArray(sent) ? sent.filter((value) => !isEmpty(value)) : [sent]
  if (filled.length > 1) return { fault: 'Only one answer is possible here.' }
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

const picked = (read: Answer | undefined, sent: unknown): ReadValue =>
  read === undefined ? { fault: notAChoice(sent) } : { value: read }

function readText(value: unknown): ReadValue {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { fault: 'The answer has to be a text.' }
  }
  const text = String(value)
  if (typeof value === 'number' && !isExact(value, text))
    return { fault: 'The number has more digits than a number can keep: send it as a text.' }
  if (text.length > MAXIMUM_TEXT) return { fault: `The answer is longer than ${MAXIMUM_TEXT} characters.` }
  if (text.includes('\0') || !text.isWellFormed()) return { fault: 'The answer holds characters that are no text.' }
  return { value: text }
}

/** Whether a number in JSON is stored as it was written; one that needs an exponent was perhaps written in digits. */
const isExact = (value: number, text: string) =>
  !text.includes('e') && (!Number.isInteger(value) || Number.isSafeInteger(value))

const examples = { datetime: '2026-03-14T15:09:26', date: '2026-03-14', time: '15:09' }

function readDatetime({ question: { format } }: Field, value: unknown): ReadValue {
  const text = typeof value === 'string' ? value.trim() : ''
  const moment = momentOf(text)
  // Where the author names no format, a day alone says enough.
  const fits = moment && (format ? moment.format === format : moment.format !== 'time')
  if (!fits)
    return { fault: `The answer has to be a ${format ?? 'datetime'} such as ${examples[format ?? 'datetime']}.` }
  return { value: text.replace(' ', 'T') }
}

/** A list: JSON, a repeated key, JSON as text, one index or label, or several with commas between. */
function readList(field: Field, sent: unknown, pick: Pick): ReadValue {
  const indices: number[] = []
  for (const part of partsOf(field, sent, pick)) {
    if (isEmpty(part)) continue
    const index = pick(field, part)
    if (index === undefined) return { fault: notAChoice(part) }
    const known = indices.includes(index)
    if (known && field.type === 'ranking') return { fault: 'The same choice cannot be ranked twice.' }
    if (!known) indices.push(index)
  }
  if (indices.length === 0) return { value: undefined }
  return { value: field.type === 'ranking' ? indices : indices.sort((a, b) => a - b) }
}

function partsOf(field: Field, sent: unknown, pick: Pick): readonly unknown[] {
  if (Array.isArray(sent)) return sent.length === 1 ? partsOf(field, sent[0], pick) : sent
  if (typeof sent !== 'string' || pick(field, sent) !== undefined) return [sent]
  if (sent.trim().startsWith('[')) return parsedList(sent) ?? [sent]
  // What is too long to be a list of choices is not cut up to find that out.
  return sent.length > MAXIMUM_TEXT ? [sent] : sent.split(',').map((part) => part.trim())
}

function parsedList(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
