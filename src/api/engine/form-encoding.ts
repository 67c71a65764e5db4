import { type ParsedUrlQuery, parse } from 'node:querystring'
import { type FieldError, fieldError, type ValueError, valueError } from '../../domain/field-error.ts'
import { httpErrors } from './http-error.ts'
import { characterError } from './text-safety.ts'

/** Names and values of a query or form: names verbatim (`q1\other`, `q[1]`), a repeated name is a list, no prototype. */
export type FormParams = Record<string, string | string[]>

/**
 * The fields of a form, at most. Each part of multipart form data costs some 7 µs, during which nobody else is served.
 * The longest page there can be has 5,000 questions, each with its field, one that says it was shown, and some to spare.
 */
export const MAX_FIELDS = 20_000

const EVERY_PAIR = { maxKeys: 0 }

/** Reads a form as browsers write it (WHATWG URL, 5.1); a stray `%` stands for itself. */
export const parseForm = (text: string): FormParams => parse(text, '&', '=', EVERY_PAIR) as ParsedUrlQuery as FormParams

/** A percent sign that escapes nothing. */
const STRAY = /%(?![\da-f]{2})/gi

/** The first name or value of a form whose escaped bytes are not UTF-8: {@link parseForm} would store U+FFFD for them. */
export function misencoded(text: string): FieldError | undefined {
  if (!/%[89a-f][\da-f]/i.test(text) || isText(text)) return undefined
  const wrong = text.split('&').find((pair) => !isText(pair))!
  return fieldError(nameOf(wrong), 'invalid_encoding')
}

const nameOf = (pair: string) => Object.keys(parseForm(pair))[0] || 'body'

/** All at once: one call for each escape would take seconds for a long text. */
function isText(escaped: string): boolean {
  try {
    decodeURIComponent(escaped.replace(STRAY, '%25'))
    return true
  } catch {
    return false
  }
}

/** How many pairs a form has, counted before any is read; at most one more than `most`. */
export function countPairs(text: string, most: number): number {
  let count = 1
  for (let at = text.indexOf('&'); at >= 0 && count <= most; at = text.indexOf('&', at + 1)) count++
  return count
}

/**
 * Reads the query of a URL, without its `?`. Unlike a form, it must be encoded properly.
 * @returns the pairs, and an error for each name or value that is not percent-encoded UTF-8 or cannot be stored, and for
 *   a value without a name
 */
export function parseQuery(text: string): { pairs: FormParams; errors: FieldError[] } {
  const errors: FieldError[] = []
  if (!text.includes('%') && !NAMELESS.test(text)) return { pairs: parseForm(text), errors }
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    if (equals === 0) errors.push(fieldError('query', 'invalid_name', {}, 'has a value without a name'))
    if (!pair.includes('%')) continue
    const field = equals < 0 ? pair : pair.slice(0, equals)
    const error = encodingError(pair)
    if (error) errors.push({ field: encodingError(field) ? field : decodeURIComponent(field), ...error })
  }
  return { pairs: parseForm(text), errors }
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
 * The pairs, if they can be stored: they come out of UTF-8, which has no lone surrogates, but they may hold a NUL.
 * @throws {HttpError} 400 naming the first that does
 */
export function sound(pairs: FormParams): FormParams {
  for (const name in pairs) {
    const values = pairs[name]!
    const error =
      characterError(name) ??
      (Array.isArray(values) ? values.map(characterError).find(Boolean) : characterError(values))
    if (error) throw httpErrors.invalid([{ field: name.replaceAll('\0', '\uFFFD'), ...error }])
  }
  return pairs
}
