import { summariseSurvey } from '../../domain/survey/queries.ts'
import { paged } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri } from './urls.ts'

/** Surveys are neither shared with groups nor sent out by invitation yet: a survey that may be seen has none of either. */
const nothingIn =
  (name: string): Operation<'listSurveyGroups'> =>
  async ({ context, path, query, search }) => {
    const { id } = await summariseSurvey(context, path.survey_id)
    return paged(`${surveyUri(context.site, id)}${name}/`, search, collectionPage(query), 0, [])
  }

export const listSurveyGroups = nothingIn('groups')
export const listSurveyInvites = nothingIn('invites')
export const listSurveyInviteCodes = nothingIn('invite_codes')

export { listSurveyInviteCodes as listSurveyInviteCodesAlias }
