import type { FieldError, FieldErrorCode, ValueError } from '../../domain/field-error.ts'
import type { Problem } from '../../domain/problem.ts'
import type { ProblemCode } from '../../domain/problem-codes.ts'
import { fill } from '../../domain/text/text.ts'
import { pageCatalog } from './page-locale.ts'

/** Returns the text of an error in the language of the page: of its message, or else of its code. */
export function errorText({ code, message, params, field }: ValueError & Partial<FieldError>): string {
  const catalog = pageCatalog()
  if (!catalog) return message
  const values = { ...(field !== undefined && { field }), ...params } as Record<string, string | number>
  return catalog.texts.get(message) ?? fill(catalog.errors[code as FieldErrorCode] ?? message, values)
}

/** Returns the text of a Problem in the language of the page: of its message, or else of its errors or its code. */
export function problemText({ code, message, errors, retryAfter }: Problem): string {
  const catalog = pageCatalog()
  if (!catalog) return message
  const own = catalog.texts.get(message)
  if (own !== undefined) return own
  if (errors.length > 0 && code.startsWith('invalid_'))
    return `${errors.map((error) => `${error.field}: ${errorText(error)}`).join('; ')}.`
  return fill(catalog.problems[code as ProblemCode] ?? message, { seconds: retryAfter ?? 1 })
}
