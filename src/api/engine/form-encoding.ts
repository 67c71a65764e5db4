import { type ParsedUrlQuery, parse } from 'node:querystring'
import { type FieldError, fieldError, type ValueError, valueError } from '../../domain/field-error.ts'
import { characterError } from './text-safety.ts'

/**
 * Fields of a query or form, as an object without prototype. Names are unchanged (`q1\other`, `q[1]`). The value of a
 * repeated name is a list.
 */
export type FormParams = Record<string, string | string[]>

/**
 * The maximum number of fields of a form. Each part of multipart form data blocks the event loop for about 7 µs. The
 * longest possible survey page has 5,000 questions with two fields each.
 */
export const MAX_FIELDS = 20_000

const NO_KEY_LIMIT = { maxKeys: 0 }

/** Parses a form as browsers write it (WHATWG URL, 5.1); a `%` without two hexadecimal digits is kept. */
export const parseForm = (text: string): FormParams =>
  parse(text, '&', '=', NO_KEY_LIMIT) as ParsedUrlQuery as FormParams

/** Matches a percent sign that is not followed by two hexadecimal digits. */
const STRAY_PERCENT = /%(?![\da-f]{2})/gi

/**
 * Returns an error for the first field whose percent-encoded bytes are not UTF-8. {@link parseForm} would replace these
 * bytes with U+FFFD.
 */
export function findInvalidEncoding(text: string): FieldError | undefined {
  if (!/%[89a-f][\da-f]/i.test(text) || isText(text)) return undefined
  const invalid = text.split('&').find((pair) => !isText(pair))!
  return fieldError(nameOf(invalid), 'invalid_encoding')
}

const nameOf = (pair: string) => Object.keys(parseForm(pair))[0] || 'body'

/**
 * Returns whether the percent-encoded bytes of a text are UTF-8. Decodes the whole text with one call, because one call
 * for each percent-encoded character would take seconds for a long text.
 */
function isText(escaped: string): boolean {
  try {
    decodeURIComponent(escaped.replace(STRAY_PERCENT, '%25'))
    return true
  } catch {
    return false
  }
}

/** Counts the fields of an unparsed form. Stops at `max` + 1. */
export function countFields(text: string, max: number): number {
  let count = 1
  for (let at = text.indexOf('&'); at >= 0 && count <= max; at = text.indexOf('&', at + 1)) count++
  return count
}

/**
 * Parses the query of a URL without `?`. Unlike a form, a query must be valid percent-encoded UTF-8.
 * @returns the parameters, and an error for each parameter with an invalid encoding, with characters that cannot be
 *   stored, or without a name
 */
export function parseQuery(text: string): { params: FormParams; errors: FieldError[] } {
  const errors: FieldError[] = []
  if (!text.includes('%') && !NAMELESS.test(text)) return { params: parseForm(text), errors }
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    if (equals === 0) errors.push(fieldError('query', 'invalid_name', {}, 'has a value without a name'))
    if (!pair.includes('%')) continue
    const field = equals < 0 ? pair : pair.slice(0, equals)
    const error = encodingError(pair)
    if (error) errors.push({ field: encodingError(field) ? field : decodeURIComponent(field), ...error })
  }
  return { params: parseForm(text), errors }
}

const NAMELESS = /(?:^|&)=/

function encodingError(encoded: string): ValueError | undefined {
  try {
    return characterError(decodeURIComponent(encoded))
  } catch {
    return valueError('invalid_encoding')
  }
}

/**
 * Returns the error of the first field that PostgreSQL cannot store, if any. The fields have been decoded from UTF-8,
 * so U+0000 is the only character in them that PostgreSQL cannot store.
 */
export function findUnsafeField(params: FormParams): FieldError | undefined {
  for (const name in params) {
    const values = params[name]!
    const error =
      characterError(name) ??
      (Array.isArray(values) ? values.map(characterError).find(Boolean) : characterError(values))
    if (error) return { field: name.replaceAll('\0', '\uFFFD'), ...error }
  }
  return undefined
}
