import { createCodes } from '../../domain/invitation/codes.ts'
import { listInvites } from '../../domain/invitation/queries.ts'
import { paged } from '../paging.ts'
import { inviteCodeView, inviteView, newCodeView } from './invitation-view.ts'
import type { Operation } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri } from './urls.ts'

export const listSurveyInviteCodes: Operation<'listSurveyInviteCodes'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, invites } = await listInvites(context, path.survey_id, { collector: query.collector }, page)
  const results = invites.map((invite) => inviteCodeView(context.site, path.survey_id, invite))
  return paged(`${surveyUri(context.site, path.survey_id)}invite_codes/`, search, page, total, results)
}

export const createSurveyInviteCodes: Operation<'createSurveyInviteCodes'> = async ({ context, path, body }) => {
  const made = await createCodes(context, path.survey_id, { count: body.count, collector: body.collector })
  return { status: 201, body: { count: made.length, results: made.map(newCodeView) } }
}

export const listSurveyInvites: Operation<'listSurveyInvites'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const asked = { collector: query.collector, addressed: true }
  const { total, invites } = await listInvites(context, path.survey_id, asked, page)
  const results = invites.map((invite) => inviteView(context.site, path.survey_id, invite))
  return paged(`${surveyUri(context.site, path.survey_id)}invites/`, search, page, total, results)
}

export { createSurveyInviteCodes as createSurveyInviteCodesAlias, listSurveyInviteCodes as listSurveyInviteCodesAlias }
