import type { Choice } from '../../domain/contact/choice.ts'
import { takeBounce } from '../../domain/email/bounce.ts'
import { inviteContacts } from '../../domain/email/invite.ts'
import { summariseEmail } from '../../domain/email/queries.ts'
import { createCodes } from '../../domain/invitation/codes.ts'
import { listInvites } from '../../domain/invitation/queries.ts'
import { problems } from '../../domain/problem.ts'
import { idsOf } from '../ids.ts'
import { paged } from '../paging.ts'
import { inviteCodeView, inviteView, newCodeView, sentInvitesView } from './invitation-view.ts'
import type { Operation, Schemas } from './operation.ts'
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

/** To whom invitations go. @throws {Problem} `invalid_request` for none, and for both at once */
function choiceIn({ contacts, contact_list: list }: Schemas['InviteSending']): Choice {
  if (list === undefined) return { ids: idsOf('contacts', contacts), field: 'contacts' }
  if (contacts !== undefined) throw problems.invalidField('contact_list', 'cannot be combined with contacts')
  return { list }
}

export const sendSurveyInvites: Operation<'sendSurveyInvites'> = async ({ context, path, body }) => {
  const { subject, sender, message, collector, scheduled } = body
  const destination = { survey: path.survey_id, collector }
  const { id } = await inviteContacts(context, destination, { subject, sender, message }, choiceIn(body), scheduled)
  return { status: 201, body: sentInvitesView(await summariseEmail(context, id)) }
}

export const reportBounce: Operation<'reportBounce'> = async ({ context, body }) => {
  const { type = 'hard', message_id: messageId, recipient, reason } = body
  await takeBounce(context, { type, messageId, recipient, reason })
  return { status: 200, body: 'OK' }
}

export { createSurveyInviteCodes as createSurveyInviteCodesAlias, listSurveyInviteCodes as listSurveyInviteCodesAlias }
