import type { Context } from '../context.ts'
import { parseTheme, type ThemeChange } from '../theme/parse-theme.ts'
import { findThemes, type StoredThemes, saveTheme } from '../theme/store.ts'
import { findSurvey, lockSurvey } from './queries.ts'
import { invalidateSurvey } from './snapshot.ts'
import type { Survey } from './survey.ts'

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
  const parsed = parseTheme(change, current, account, context.services.secretKey)
  await saveTheme(em, ownerOf(survey), parsed)
  await invalidateSurvey(em, id)
  return { account, survey: parsed.theme }
}
