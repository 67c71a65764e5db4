import {
  acceptAnyInvitation,
  type HandOver,
  listHandOvers as listOffers,
  offerSurveys,
  withdrawHandOver as withdrawOffer,
} from '../../domain/account-data/hand-over.ts'
import {
  type ColleagueInvitation,
  declineInvitation,
  type InvitationLink,
} from '../../domain/group/colleague-invitations.ts'
import type { MemberSummary } from '../../domain/group/queries.ts'
import * as team from '../../domain/survey/team.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { rootUri, surveyUri } from './urls.ts'

export const listTeam: Operation<'listTeam'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { members } = await team.describeTeam(context, path.survey_id)
  const { id, name, email } = context.actor
  const people = [memberView({ id, name, email, roles: [] }, true), ...members.map((member) => memberView(member))]
  const results = people.slice(page.offset, page.offset + page.limit)
  return pageReply(`${surveyUri(context.services, path.survey_id)}team/`, search, page, people.length, results)
}

export const updateTeamMember: Operation<'updateTeamMember'> = async ({ context, path, body }) => ({
  status: 200,
  body: memberView(await team.setTeamMember(context, path.survey_id, path.member_id, body.roles)),
})

export const removeTeamMember: Operation<'removeTeamMember'> = async ({ context, path }) => {
  await team.removeTeamMember(context, path.survey_id, path.member_id)
  return { status: 200, body: 'OK' }
}

const memberView = ({ id, name, email, roles }: MemberSummary, isOwner = false): Schemas['TeamMember'] => ({
  user_id: id,
  name,
  email,
  is_owner: isOwner,
  roles: [...roles],
})

export const listTeamInvitations: Operation<'listTeamInvitations'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { invitations } = await team.describeTeam(context, path.survey_id)
  const results = invitations.slice(page.offset, page.offset + page.limit).map(invitationView)
  const uri = `${surveyUri(context.services, path.survey_id)}team/invitations/`
  return pageReply(uri, search, page, invitations.length, results)
}

export const inviteTeamMember: Operation<'inviteTeamMember'> = async ({ context, path, body }) => ({
  status: 201,
  body: newInvitationView(await team.inviteToSurvey(context, path.survey_id, body)),
})

export const withdrawTeamInvitation: Operation<'withdrawTeamInvitation'> = async ({ context, path }) => {
  await team.withdrawTeamInvitation(context, path.survey_id, path.invitation_id)
  return { status: 200, body: 'OK' }
}

export const resendTeamInvitation: Operation<'resendTeamInvitation'> = async ({ context, path }) => ({
  status: 200,
  body: newInvitationView(await team.resendTeamInvitation(context, path.survey_id, path.invitation_id)),
})

const newInvitationView = (invitation: InvitationLink): Schemas['NewTeamInvitation'] => ({
  ...invitationView(invitation),
  url: invitation.url ?? null,
})

const invitationView = (invitation: ColleagueInvitation): Schemas['TeamInvitation'] => ({
  id: invitation.id,
  email: invitation.email,
  roles: [...invitation.roles],
  state: invitation.state as Schemas['TeamInvitation']['state'],
  sent_at: invitation.sentAt.toISOString(),
  expires_at: invitation.expiresAt.toISOString(),
})

export const acceptColleagueInvitation: Operation<'acceptColleagueInvitation'> = async ({ context, body }) => {
  const { survey, groupId, roles, handOver } = await acceptAnyInvitation(context, body.key)
  return {
    status: 200,
    body: {
      survey: survey?.id ?? null,
      group: survey ? null : (groupId ?? null),
      roles: handOver ? [] : [...roles],
      owned_surveys: handOver?.map(({ id }) => id) ?? [],
    },
  }
}

export const declineColleagueInvitation: Operation<'declineColleagueInvitation'> = async ({ context, body }) => {
  await declineInvitation(context, body.key)
  return { status: 200, body: 'OK' }
}

export const listHandOvers: Operation<'listHandOvers'> = async ({ context, query, search }) => {
  const page = collectionPage(query)
  const offers = await listOffers(context)
  const results = offers.slice(page.offset, page.offset + page.limit).map(handOverView)
  return pageReply(`${rootUri(context.services)}hand-overs/`, search, page, offers.length, results)
}

export const createHandOver: Operation<'createHandOver'> = async ({ context, body }) => {
  const surveys = String(body.surveys)
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number)
  const offer = await offerSurveys(context, { surveys, email: body.email, roles: body.keep_roles ?? '' })
  return { status: 201, body: { ...handOverView(offer), url: offer.url ?? null } }
}

export const withdrawHandOver: Operation<'withdrawHandOver'> = async ({ context, path }) => {
  await withdrawOffer(context, path.hand_over_id)
  return { status: 200, body: 'OK' }
}

const handOverView = (offer: HandOver): Schemas['HandOver'] => ({
  id: offer.id,
  surveys: offer.surveys.map(({ id }) => id),
  email: offer.email,
  keep_roles: [...offer.roles],
  state: offer.state as Schemas['HandOver']['state'],
  sent_at: offer.sentAt.toISOString(),
  expires_at: offer.expiresAt.toISOString(),
})
