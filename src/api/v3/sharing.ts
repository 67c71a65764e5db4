import * as sharing from '../../domain/survey/sharing.ts'
import { pageReply } from '../paging.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri } from './urls.ts'

const groupIdsOf = (group: number | string | undefined) => (group === undefined ? undefined : String(group))

export const listSurveyGroups: Operation<'listSurveyGroups'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, groups } = await sharing.listSurveyGroups(context, path.survey_id, page)
  const results = groups.map(({ id, name, members }) => ({ id, name, num_members: members }))
  return pageReply(`${surveyUri(context.services, path.survey_id)}groups/`, search, page, total, results)
}

type Sharing = Pick<Parameters<Operation<'shareSurvey'>>[0], 'context' | 'path' | 'body'>

async function share({ context, path, body }: Sharing) {
  const fromReply = body.results?.map(({ id }) => id)
  await sharing.shareSurvey(context, path.survey_id, groupIdsOf(body.group) ?? fromReply)
  return { status: 200, body: 'OK' } as const
}

export const shareSurvey: Operation<'shareSurvey'> = share

/** POST does the same as PUT, for clients that create every sub-resource of a survey with POST. */
export const shareSurveyAlias: Operation<'shareSurveyAlias'> = share

export const unshareSurvey: Operation<'unshareSurvey'> = async ({ context, path, query, body }) => {
  await sharing.unshareSurvey(context, path.survey_id, groupIdsOf(query.group ?? body.group))
  return { status: 200, body: 'OK' }
}
