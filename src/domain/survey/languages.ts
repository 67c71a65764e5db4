import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import { checkLanguages } from '../structure/check.ts'
import { FieldErrors } from '../structure/field-errors.ts'
import type { StructureLanguage } from '../structure/structure.ts'
import { parseStructure } from './parse-structure.ts'
import { findStructure, lockSurvey } from './queries.ts'
import { numberedStructureOf, saveVersion } from './save-version.ts'

const MAX_LANGUAGES = 100

/**
 * Returns the languages of a survey, as its structure contains them.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export const findLanguages = async (context: Context, id: number): Promise<StructureLanguage[]> =>
  (await findStructure(context, id)).languages

/** A language in a request, not validated yet. */
export interface LanguageDraft {
  code: string
  name?: string | undefined
  isDefault?: boolean | undefined
  [member: string]: unknown
}

/**
 * Replaces the languages of a survey and saves a new version. Texts in removed languages are kept in the structure.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_structure` unless exactly one language is the default
 */
export async function replaceLanguages(
  context: Context,
  id: number,
  drafts: readonly LanguageDraft[],
): Promise<StructureLanguage[]> {
  const survey = await lockSurvey(context, id, 'Edit')
  const { structure: before } = await numberedStructureOf(context, survey)
  const structure = parseStructure({ ...before, languages: parseLanguages(drafts) })
  await saveVersion(context, survey, structure)
  return structure.languages
}

function parseLanguages(drafts: readonly LanguageDraft[]): LanguageDraft[] {
  const errors = new FieldErrors()
  if (drafts.length === 0) errors.add('/languages', 'too_few', { min: 1 })
  if (drafts.length > MAX_LANGUAGES) errors.add('/languages', 'too_many', { max: MAX_LANGUAGES })
  checkLanguages(errors, drafts)
  if (drafts.length > 0 && !drafts.some(({ isDefault }) => isDefault === true))
    errors.add('/languages', 'invalid_structure', {}, detail('one_default_language'))
  const distinct = new Map(errors.list.map((error) => [error.field + error.message, error]))
  if (distinct.size) throw problems.invalidStructure([...distinct.values()])
  return drafts.map((language) => ({ ...language, name: language.name?.trim() || autonym(language.code) }))
}

/** Returns the name of a language in the language itself ("français" for `fr`); the code if unknown. */
function autonym(code: string): string {
  try {
    const tag = code.replaceAll('_', '-')
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? code
  } catch {
    return code
  }
}
