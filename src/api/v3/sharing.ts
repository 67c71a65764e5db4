import { summariseSurvey } from '../../domain/survey/queries.ts'
import { paged } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri } from './urls.ts'

/** Surveys are not shared with groups yet: a survey that may be seen has none. */
const nothingIn =
  (name: string): Operation<'listSurveyGroups'> =>
  async ({ context, path, query, search }) => {
    const { id } = await summariseSurvey(context, path.survey_id)
    return paged(`${surveyUri(context.site, id)}${name}/`, search, collectionPage(query), 0, [])
  }

export const listSurveyGroups = nothingIn('groups')
