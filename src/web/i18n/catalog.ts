import type { ErrorDetailName } from '../../domain/error-details.ts'
import type { FieldErrorCode } from '../../domain/field-error.ts'
import type { ProblemCode } from '../../domain/problem-codes.ts'
import type { StructureWarning } from '../../domain/structure/warnings.ts'
import type { IssueCode } from '../../domain/structure/xlsform/issues.ts'
import type { PluralForms } from '../../domain/text/text.ts'
import type { SyntaxErrorCode } from '../../lib/json.ts'

/** The translations of all texts of the pages into one language. */
export interface Catalog {
  /** Translations of the texts in pages, by the English text. */
  texts: ReadonlyMap<string, string>
  /** Nouns that follow a number, by their English singular. Each has a form for each plural category. */
  plurals: ReadonlyMap<string, PluralForms>
  /** Translations of the texts in scripts, by the English text. */
  scripts: Readonly<Record<string, string>>
  /**
   * Texts of errors in fields, by error code. Each is a sentence, or a predicate that follows the label of the field.
   */
  errors: Readonly<Record<FieldErrorCode, string>>
  /** Error texts that are more precise than the text in `errors` for their code. */
  details: Readonly<Record<ErrorDetailName, string>>
  problems: Readonly<Record<ProblemCode, string>>
  /** Texts of JSON syntax errors. */
  syntax: Readonly<Record<SyntaxErrorCode, string>>
  /**
   * Texts of warnings about probable mistakes in structures, and about removals that affect stored answers. `{answers}`
   * is the number of these answers.
   */
  warnings: Readonly<Record<StructureWarning['code'], string>>
  /** Texts of those warnings that can contain a suggestion: the name that the author probably meant. */
  warningsWithSuggestion: Readonly<Partial<Record<StructureWarning['code'], string>>>
  /** Texts that state what was left out or changed when an XLSForm was converted. */
  issues: Readonly<Record<IssueCode, string>>
}
