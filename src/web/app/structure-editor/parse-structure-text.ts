import { checkStructure } from '../../../domain/structure/check.ts'
import { structureWarnings } from '../../../domain/structure/warnings.ts'
import { duplicateMembers, rangeFinder, syntaxErrorsOf, type TextError } from '../../../lib/json.ts'
import type { TextRange } from '../../../lib/strings.ts'
import { errorText, syntaxErrorText, warningText } from '../../i18n/error-texts.ts'

/** An error in the text of a structure, in the language of the page. */
export interface StructureError extends TextRange {
  message: string
  /**
   * JSON pointer of the invalid value, '' for the whole structure; undefined for a syntax error or a duplicate member.
   */
  pointer: string | undefined
}

/** The parsed text of a structure, with its errors in the order of their lines. */
export interface ParsedStructure {
  /** The parsed JSON; undefined if the text has a syntax error. Of duplicate members, it contains the last one. */
  authored: unknown
  errors: StructureError[]
}

/** Parses and checks the text of a structure. */
export function parseStructureText(text: string): ParsedStructure {
  const syntaxErrors = syntaxErrorsOf(text)
  if (syntaxErrors.length > 0) return { authored: undefined, errors: syntaxErrors.map(withoutPointer) }
  const authored: unknown = JSON.parse(text)
  const find = rangeFinder(text)
  const errors = checkStructure(authored).map((error) => ({
    pointer: error.field,
    message: errorText(error),
    ...find(error.field),
  }))
  return {
    authored,
    errors: [...duplicateMembers(text).map(withoutPointer), ...errors].sort((a, b) => a.from - b.from),
  }
}

/** Returns probable mistakes that are not errors, with their lines. */
export function warningsIn({ authored }: ParsedStructure, text: string): StructureError[] {
  const find = rangeFinder(text)
  return structureWarnings(authored).map((warning) => ({
    pointer: warning.pointer,
    message: warningText(warning),
    ...find(warning.pointer),
  }))
}

const withoutPointer = ({ code, values, ...error }: TextError): StructureError => ({
  ...error,
  message: syntaxErrorText({ code, values, ...error }),
  pointer: undefined,
})

/** Formats a structure as JSON with an indentation of two spaces. */
export const formatStructure = (structure: unknown): string => JSON.stringify(structure, null, 2)
