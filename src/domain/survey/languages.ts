import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { checkLanguages, ONE_DEFAULT_LANGUAGE } from '../structure/check.ts'
import { FieldErrors } from '../structure/field-errors.ts'
import type { StructureLanguage } from '../structure/structure.ts'
import { parseStructure } from './parse-structure.ts'
import { findStructure, lockSurvey } from './queries.ts'
import { numberedStructureOf, saveVersion } from './save-version.ts'

/** More would make every page a list of languages. */
const MAX_LANGUAGES = 100

/** The languages in which a survey can be taken, as authored. @throws {Problem} `survey_not_found` */
export const findLanguages = async (context: Context, id: number): Promise<StructureLanguage[]> =>
  (await findStructure(context, id)).languages

export interface LanguageDraft {
  code: string
  name?: string | undefined
  isDefault?: boolean | undefined
  [member: string]: unknown
}

/**
 * Replaces the languages of a survey; a version of its own. No text is touched: those of a language that is left out
 * are kept, and shown again when it comes back.
 * @throws {Problem} `survey_not_found`, `invalid_request` unless exactly one language is the default
 */
export async function replaceLanguages(
  context: Context,
  id: number,
  given: readonly LanguageDraft[],
): Promise<StructureLanguage[]> {
  const survey = await lockSurvey(context, id, 'Edit')
  const { structure: before } = await numberedStructureOf(context, survey)
  const structure = parseStructure({ ...before, languages: parseLanguages(given) })
  await saveVersion(context, survey, structure)
  return structure.languages
}

function parseLanguages(given: readonly LanguageDraft[]): LanguageDraft[] {
  const errors = new FieldErrors()
  if (given.length === 0) errors.add('/languages', 'too_few', { min: 1 })
  if (given.length > MAX_LANGUAGES) errors.add('/languages', 'too_many', { max: MAX_LANGUAGES })
  checkLanguages(errors, given)
  if (given.length > 0 && given.filter(({ isDefault }) => isDefault === true).length === 0)
    errors.add('/languages', 'invalid_structure', {}, ONE_DEFAULT_LANGUAGE)
  const distinct = new Map(errors.list.map((error) => [error.field + error.message, error]))
  if (distinct.size) throw problems.invalidStructure([...distinct.values()])
  return given.map((language) => ({ ...language, name: language.name?.trim() || autonym(language.code) }))
}

/** What a language calls itself ("français" for `fr`); the code where nobody knows. */
function autonym(code: string): string {
  try {
    const tag = code.replaceAll('_', '-')
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? code
  } catch {
    return code
  }
}
