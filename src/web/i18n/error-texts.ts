import type { FieldError, ValueError } from '../../domain/field-error.ts'
import type { Note } from '../../domain/moving/notes.ts'
import type { Problem } from '../../domain/problem.ts'
import type { ProblemCode } from '../../domain/problem-codes.ts'
import type { StructureWarning } from '../../domain/structure/structure.ts'
import type { Issue } from '../../domain/structure/xlsform/issues.ts'
import type { SyntaxErrorCode } from '../../lib/json.ts'
import { fill } from '../../lib/texts.ts'
import { pluralize } from '../layout/format.ts'
import { pageCatalog } from './page-locale.ts'

/** Returns the text of an error in the language of the page, by its code. */
export function errorText({ code, message, params, detail, field }: ValueError & Partial<FieldError>): string {
  const catalog = pageCatalog()
  if (!catalog) return message
  if (detail) return fill(catalog.details[detail.name], detail.values)
  const values = { ...(field !== undefined && { field }), ...params } as Record<string, string | number>
  return fill(catalog.errors[code] ?? message, values)
}

/**
 * Returns the text of a Problem in the language of the page: the translation of its message, otherwise the texts of its
 * errors or of its code.
 */
export function problemText({ code, message, errors, retryAfter }: Problem): string {
  const catalog = pageCatalog()
  if (!catalog) return message
  const own = catalog.texts.get(message)
  if (own !== undefined) return own
  if (errors.length > 0 && code.startsWith('invalid_'))
    return `${errors.map((error) => `${error.field}: ${errorText(error)}`).join('; ')}.`
  return fill(catalog.problems[code as ProblemCode] ?? message, { seconds: retryAfter ?? 1 })
}

/** Returns the text of a warning about a structure in the language of the page. */
export function warningText({ code, message, values }: Pick<StructureWarning, 'code' | 'message' | 'values'>): string {
  const catalog = pageCatalog()
  if (!catalog) return message
  const text = values.suggestion === undefined ? catalog.warnings[code] : catalog.warningsWithSuggestion[code]
  const answers = pluralize(Number(values.count ?? 0), 'answer')
  return fill(text ?? catalog.warnings[code], { ...values, answers })
}

/** Returns the text of a syntax error of JSON in the language of the page. */
export const syntaxErrorText = ({ code, message, values }: SyntaxError): string => {
  const text = pageCatalog()?.syntax[code]
  return text === undefined ? message : fill(text, values)
}

interface SyntaxError {
  code: SyntaxErrorCode
  message: string
  values?: Readonly<Record<string, string | number>> | undefined
}

/**
 * Returns the text, in the language of the page, that states what was left out or changed when an XLSForm was
 * converted.
 */
export const issueText = ({ code, message }: Issue): string => pageCatalog()?.issues[code] ?? message

/** Returns the text, in the language of the page, that states what was left out or changed by an import. */
export const noteText = ({ code, message }: Note): string => pageCatalog()?.moves[code] ?? message
