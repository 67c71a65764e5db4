import type { ErrorDetailName } from '../../domain/error-details.ts'
import type { FieldErrorCode } from '../../domain/field-error.ts'
import type { NoteCode } from '../../domain/moving/notes.ts'
import type { ProblemCode } from '../../domain/problem-codes.ts'
import type { StructureWarning } from '../../domain/structure/structure.ts'
import type { IssueCode } from '../../domain/structure/xlsform/issues.ts'
import type { SyntaxErrorCode } from '../../lib/json.ts'
import { byLanguage, languageNames, type PluralForms } from '../../lib/texts.ts'
import type german from '../../texts/de/errors.json'

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
  /** Texts that state what was left out or changed when a survey of another tool was imported. */
  moves: Readonly<Record<NoteCode, string>>
}

type Strings = Readonly<Record<string, string>>

const texts = byLanguage<Strings, Catalog['texts']>('pages/', (strings) => new Map(Object.entries(strings)))
const scripts = byLanguage<Strings>('scripts.json')
const plurals = byLanguage<Record<string, PluralForms>, Catalog['plurals']>(
  'plurals.json',
  (forms) => new Map(Object.entries(forms)),
)

/**
 * The translations of the pages by language; the texts in the source code are English. `test/web/page-texts.test.ts`
 * compares them with the source code, so that no translation is missing.
 */
export const catalogs = byLanguage<typeof german, Catalog>('errors.json', (errors, language) => ({
  texts: texts[language]!,
  plurals: plurals[language]!,
  scripts: scripts[language]!,
  ...errors,
}))

/**
 * The names of the languages in which the pages are available, by language code. Each name is in the language itself.
 */
export const pageLanguages: Readonly<Record<string, string>> = Object.fromEntries(
  ['en', ...Object.keys(catalogs)].map((language) => [language, languageNames[language]!]),
)
