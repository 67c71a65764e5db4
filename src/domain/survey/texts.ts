import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import { recordFrequentActivity } from '../security/record.ts'
import { checkLanguages } from '../structure/check.ts'
import type { Structure, StructureLanguage } from '../structure/structure.ts'
import { FieldErrors } from '../structure/walk.ts'
import { parseOverrides, type TextOverrides, type TextsChange } from '../text/catalog.ts'
import { parseTheme, type ThemeChange } from '../theme/parse-theme.ts'
import { findThemes, type StoredThemes, saveTheme } from '../theme/store.ts'
import { findStructure, findSurvey, lockSurvey } from './queries.ts'
import { numberedStructureOf, saveVersion } from './save-version.ts'
import { invalidateSurvey } from './snapshot.ts'
import type { Survey } from './survey.ts'
import { parseStructure } from './working-copy.ts'

const MAX_LANGUAGES = 100

/**
 * Returns the languages of a survey, as its structure contains them.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export const findLanguages = async (context: Context, id: number): Promise<StructureLanguage[]> =>
  (await findStructure(context, id)).languages

/** A language in a request, not validated yet. */
interface LanguageDraft {
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

/** The texts with which an owner replaces texts of the service, and the languages of the survey. */
export interface SurveyTexts {
  overrides: TextOverrides
  languages: Structure['languages']
}

const textsOf = async ({ em }: Context, survey: Survey): Promise<SurveyTexts> => {
  await em.populate(survey, ['texts', 'structure'])
  return { overrides: survey.texts, languages: survey.structure.languages }
}

/**
 * Returns the texts with which the owner of a survey replaces texts of the service.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findSurveyTexts(context: Context, id: number): Promise<SurveyTexts> {
  return textsOf(context, await findSurvey(context, id, 'Edit'))
}

/**
 * Replaces texts of the service on the pages of a survey.
 * @param isCurrent returns whether the stored texts are those that the editor saw; absent: no check
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`; `structure_changed` if `isCurrent` returns
 *   false
 */
export async function updateSurveyTexts(
  context: Context,
  id: number,
  change: TextsChange,
  isCurrent: (overrides: TextOverrides) => boolean = () => true,
): Promise<SurveyTexts> {
  const survey = await lockSurvey(context, id, 'Edit')
  const { overrides, languages } = await textsOf(context, survey)
  if (!isCurrent(overrides)) throw problems.draftChanged()
  survey.setTexts(parseOverrides(change, overrides), context.now)
  await context.em.flush()
  return { overrides: survey.texts, languages }
}

const ownerOf = ({ id, owner }: Survey) => ({ accountId: owner.id, surveyId: id })

/**
 * Returns the theme of a survey, and the theme of its account, from which it inherits.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findSurveyTheme(context: Context, id: number): Promise<StoredThemes> {
  return findThemes(context.em, ownerOf(await findSurvey(context, id, 'Edit')))
}

/**
 * Changes the theme of a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function updateSurveyTheme(context: Context, id: number, change: ThemeChange): Promise<StoredThemes> {
  const { em } = context
  const survey = await lockSurvey(context, id, 'Edit')
  const { account, survey: current } = await findThemes(em, ownerOf(survey))
  const parsed = parseTheme(change, current, context.services.secretKey)
  await saveTheme(em, ownerOf(survey), parsed)
  await invalidateSurvey(em, id)
  await recordFrequentActivity(context, id, 'theme_changed')
  return { account, survey: parsed.theme }
}
