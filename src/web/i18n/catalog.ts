import type { FieldErrorCode } from '../../domain/field-error.ts'
import type { ProblemCode } from '../../domain/problem-codes.ts'
import type { PluralForms } from '../../domain/text/text.ts'

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
  problems: Readonly<Record<ProblemCode, string>>
}
