import type { FieldError } from '../../domain/problem.ts'
import { exceedsJsonLimits, HEAVY, MAX_DEPTH, MAX_VALUES } from '../../lib/json-limits.ts'
import { refusals } from './http-error.ts'

/** `choices[0].label`: a member by its name, an element by its index, both as a client would write them. */
export function fieldOf(path: readonly (string | number)[]): string {
  let field = ''
  for (const step of path) {
    if (typeof step === 'number') field += `[${step}]`
    else field += field === '' ? step : `.${step}`
  }
  return field || 'body'
}

/** What is wrong with a text that PostgreSQL could not store, or undefined: a NUL, or half of a surrogate pair. */
export function unsound(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000'
  if (!text.isWellFormed()) return 'must be well-formed Unicode'
  return undefined
}

/**
 * Reads JSON that may have been made to cost as much as possible.
 * @throws {Refusal} 413 for too many values, 400 for what is no JSON or holds what no part of the service can use
 */
export function parseJson(text: string): unknown {
  const heavy = exceedsJsonLimits(text)
  if (heavy === 'many') throw refusals.tooManyValues(MAX_VALUES)
  if (heavy === 'deep') throw refusals.invalid([{ field: 'body', message: HEAVY.deep }])
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refusals.malformed(`The body is not JSON: ${(error as Error).message}.`)
  }
  const fieldError = findUnsound(value)
  if (fieldError) throw refusals.invalid([fieldError])
  return value
}

/**
 * Looks through a parsed body for what no part of the service can use: texts that are {@link unsound}, numbers beyond
 * all bounds, nesting beyond {@link MAX_DEPTH}, and members named `__proto__`.
 * @returns the first fault with its place, or undefined
 */
export function findUnsound(value: unknown, path: (string | number)[] = []): FieldError | undefined {
  if (typeof value === 'string') {
    const message = unsound(value)
    return message ? { field: printable(fieldOf(path)), message } : undefined
  }
  // What is written as 1e400 is read as infinite, and would be stored as a word.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    return { field: printable(fieldOf(path)), message: 'is a larger number than can be kept' }
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length >= MAX_DEPTH) return { field: printable(fieldOf(path.slice(0, 4))), message: HEAVY.deep }
  return Array.isArray(value) ? inArray(value, path) : inObject(value as Record<string, unknown>, path)
}

function inArray(array: readonly unknown[], path: (string | number)[]): FieldError | undefined {
  for (let index = 0; index < array.length; index++) {
    path.push(index)
    const fieldError = findUnsound(array[index], path)
    if (fieldError) return fieldError
    path.pop()
  }
  return undefined
}

function inObject(object: Record<string, unknown>, path: (string | number)[]): FieldError | undefined {
  for (const name of Object.keys(object)) {
    path.push(name)
    const message = name === '__proto__' ? 'is not allowed as a name' : unsound(name)
    if (message) return { field: printable(fieldOf(path)), message }
    const fieldError = findUnsound(object[name], path)
    if (fieldError) return fieldError
    path.pop()
  }
  return undefined
}

/** The field as it may be answered: what is unsound in the name itself is replaced. */
const printable = (field: string) => field.toWellFormed().replaceAll('\0', '\uFFFD')
