import * as codes from '../../domain/invitation/codes.ts'
import { type InviteSummary, listInvites } from '../../domain/invitation/queries.ts'
import type { Services } from '../../domain/services.ts'
import { sliceOf } from '../../lib/paging.ts'
import { type Operation, type Schemas, surveyUri } from './operation.ts'

/** Shows an invite code (docs/specification.md 9.2), with its response if the response is completed. */
const inviteCodeView = (services: Services, surveyId: number, invite: InviteSummary): Schemas['InviteCode'] => ({
  code: invite.code,
  invite_url: invite.url,
  status: invite.status,
  ...(invite.status === 'Completed' &&
    invite.responseId !== null && {
      response_id: String(invite.responseId),
      response_uri: `${surveyUri(services, surveyId)}responses/${invite.responseId}/`,
    }),
})

export const createInviteCodes: Operation<'createInviteCodes'> = async ({ context, path, query, body }) => {
  const { count = Number.NaN, collector } = { ...body, ...query }
  const created = await codes.createCodes(context, path.survey_id, { count, collector })
  return {
    status: 200,
    body: { count: created.length, invites: created.map(({ code, url }) => ({ code, invite_url: url })) },
  }
}

export const listInviteCodes: Operation<'listInviteCodes'> = async ({ context, path, query }) => {
  const slice = sliceOf({ offset: query.offset, limit: query.limit, default: 50, max: 200 })
  const { total, invites } = await listInvites(context, path.survey_id, { collector: query.collector }, slice)
  const views = invites.map((invite) => inviteCodeView(context.services, path.survey_id, invite))
  return { status: 200, body: { count: views.length, start: slice.offset, total, invites: views } }
}
