import type { ErrorDetailName } from '../../domain/error-details.ts'
import type { FieldErrorCode } from '../../domain/field-error.ts'
import type { ProblemCode } from '../../domain/problem-codes.ts'
import type { StructureWarning } from '../../domain/structure/warnings.ts'
import type { IssueCode } from '../../domain/structure/xlsform/issues.ts'
import type { PluralForms } from '../../domain/text/text.ts'
import type { SyntaxErrorCode } from '../../lib/json-syntax.ts'

/** The texts of the pages in one language. */
export interface Catalog {
  /** Translations by English text. */
  texts: ReadonlyMap<string, string>
  /** The noun after a number by plural category, by English singular. */
  plurals: ReadonlyMap<string, PluralForms>
  /** Translations of the texts of scripts, by English text. */
  scripts: Readonly<Record<string, string>>
  /** Errors in fields: predicates after the label of the field, or sentences. */
  errors: Readonly<Record<FieldErrorCode, string>>
  /** Texts of errors that are more precise than those of their codes. */
  details: Readonly<Record<ErrorDetailName, string>>
  problems: Readonly<Record<ProblemCode, string>>
  /** Syntax errors of JSON. */
  syntax: Readonly<Record<SyntaxErrorCode, string>>
  /** Probable mistakes in structures, and removals that concern stored answers: `{answers}` is their number. */
  warnings: Readonly<Record<StructureWarning['code'], string>>
  /** The same with the name that the author probably meant. */
  warningsWithSuggestion: Readonly<Partial<Record<StructureWarning['code'], string>>>
  /** What was left out or changed when an XLSForm was converted. */
  issues: Readonly<Record<IssueCode, string>>
}
