import { type FieldError, fieldError, type ValueError, valueError } from '../../domain/field-error.ts'
import { exceededJsonLimit, MAX_DEPTH, MAX_VALUES } from '../../lib/json.ts'
import { httpErrors } from './http-error.ts'

/** Formats a path for field errors: `choices[0].label`. */
export function fieldOf(path: readonly (string | number)[]): string {
  let field = ''
  for (const step of path) {
    if (typeof step === 'number') field += `[${step}]`
    else field += field === '' ? step : `.${step}`
  }
  return field || 'body'
}

/** Returns the error of a text that PostgreSQL cannot store, because it contains U+0000 or half of a surrogate pair. */
export function characterError(text: string): ValueError | undefined {
  if (text.includes('\0')) return valueError('invalid_characters')
  if (!text.isWellFormed()) return valueError('invalid_characters', {}, 'must be well-formed Unicode')
  return undefined
}

/**
 * Parses JSON from an untrusted client. The result can contain unsafe values, for which the caller must search with
 * {@link findUnsafe}.
 * @throws {HttpError} 413 for too many values, 400 for invalid JSON
 */
export function parseUncheckedJson(text: string): unknown {
  const excess = exceededJsonLimit(text)
  if (excess === 'values') throw httpErrors.tooManyValues(MAX_VALUES)
  if (excess === 'depth') throw httpErrors.invalid([fieldError('body', 'too_deep', { max: MAX_DEPTH })])
  try {
    return JSON.parse(text)
  } catch (error) {
    throw httpErrors.malformed(`The body is not valid JSON: ${(error as Error).message}.`)
  }
}

/**
 * Parses JSON from an untrusted client.
 * @throws {HttpError} 413 for too many values, 400 for invalid JSON and for unsafe values
 */
export function parseJson(text: string): unknown {
  const value = parseUncheckedJson(text)
  const error = findUnsafe(value)
  if (error) throw httpErrors.invalid([error])
  return value
}

/**
 * Searches a parsed body for values that the service cannot process: texts with a {@link characterError}, infinite
 * numbers, nesting beyond {@link MAX_DEPTH}, and members named `__proto__`.
 * @returns the first error, or undefined
 */
export function findUnsafe(value: unknown, path: (string | number)[] = []): FieldError | undefined {
  if (typeof value === 'string') {
    const error = characterError(value)
    return error && { field: printable(fieldOf(path)), ...error }
  }
  // JSON.parse returns Infinity for 1e400, but JSON cannot represent Infinity.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    return fieldError(printable(fieldOf(path)), 'too_large', {}, 'is too large a number')
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length >= MAX_DEPTH) return fieldError(printable(fieldOf(path.slice(0, 4))), 'too_deep', { max: MAX_DEPTH })
  return Array.isArray(value) ? inArray(value, path) : inObject(value as Record<string, unknown>, path)
}

function inArray(array: readonly unknown[], path: (string | number)[]): FieldError | undefined {
  for (let index = 0; index < array.length; index++) {
    path.push(index)
    const error = findUnsafe(array[index], path)
    if (error) return error
    path.pop()
  }
  return undefined
}

function inObject(object: Record<string, unknown>, path: (string | number)[]): FieldError | undefined {
  for (const name of Object.keys(object)) {
    path.push(name)
    const nameError = name === '__proto__' ? valueError('reserved_name') : characterError(name)
    if (nameError) return { field: printable(fieldOf(path)), ...nameError }
    const error = findUnsafe(object[name], path)
    if (error) return error
    path.pop()
  }
  return undefined
}

/** Replaces the characters of a field name that a reply cannot contain. */
const printable = (field: string) => field.toWellFormed().replaceAll('\0', '\uFFFD')
