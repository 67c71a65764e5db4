import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Structure } from '../structure/structure.ts'
import { parseOverrides, type TextOverrides, type TextsChange } from '../text/catalog.ts'
import { findSurvey, lockSurvey } from './queries.ts'
import type { Survey } from './survey.ts'

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
