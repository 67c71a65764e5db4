import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import {
  type ColleagueInvitation,
  type InvitationLink,
  inviteColleague,
  listInvitations,
  resendInvitation,
  withdrawInvitation,
} from '../group/colleague-invitations.ts'
import { deleteMember, recordRoles, storeMember } from '../group/commands.ts'
import { parseRoles } from '../group/group.ts'
import { type MemberSummary, membersOf } from '../group/queries.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { lockSurvey, summariseSurvey } from './queries.ts'
import { invalidateSurvey } from './snapshot.ts'

/** The people whom the owner of a survey invited to it. Groups with which the survey is shared are not part of it. */
export interface Team {
  members: readonly MemberSummary[]
  invitations: readonly ColleagueInvitation[]
}

const db = ({ em }: Context) => em.getKysely<Tables>()

/** Returns the id of the group of the team; undefined if nobody has been invited. */
async function findTeam(context: Context, surveyId: number): Promise<number | undefined> {
  const row = await db(context)
    .selectFrom('survey_team')
    .select('group_id')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  return row?.group_id
}

/**
 * Returns the people whom the owner of a survey invited.
 * @throws {Problem} `survey_not_found`, `forbidden` unless the actor owns the survey
 */
export async function describeTeam(context: Context, surveyId: number): Promise<Team> {
  await authorize(context, surveyId, 'Owner')
  const team = await findTeam(context, surveyId)
  if (team === undefined) return { members: [], invitations: [] }
  return {
    members: await membersOf(context, team).execute(),
    invitations: await listInvitations(context, team),
  }
}

/**
 * Invites a person to work on a survey.
 * @param invitation `roles`: names separated by spaces
 * @throws {Problem} `survey_not_found`, `forbidden` unless the actor owns the survey, `invalid_request`,
 *   `too_many_requests`
 */
export async function inviteToSurvey(
  context: Context,
  surveyId: number,
  invitation: { email: string; roles: string },
): Promise<InvitationLink> {
  const { name } = await summariseSurvey(context, surveyId, 'Owner')
  const team = await lockOrCreateTeam(context, surveyId)
  return inviteColleague(context, team, invitation, { what: name, details: { survey: surveyId } })
}

/** Returns the id of the group of the team, whose row is locked until the commit. Creates the group if needed. */
export async function lockOrCreateTeam(context: Context, surveyId: number): Promise<number> {
  const existing = await lockTeam(context, surveyId)
  if (existing !== undefined) return existing
  const survey = await lockSurvey(context, surveyId, 'Owner')
  const created = await findTeam(context, surveyId)
  if (created !== undefined) return created
  const { id } = await db(context)
    .insertInto('account_group')
    .values({ owner_id: survey.owner.id, name: `Survey${surveyId}`, created_at: context.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db(context).insertInto('survey_team').values({ survey_id: surveyId, group_id: id }).execute()
  await db(context).insertInto('survey_group').values({ survey_id: surveyId, group_id: id }).execute()
  await invalidateSurvey(context.em, surveyId)
  return id
}

async function lockTeam(context: Context, surveyId: number): Promise<number | undefined> {
  const team = await findTeam(context, surveyId)
  if (team === undefined) return undefined
  await db(context).selectFrom('account_group').select('id').where('id', '=', team).forNoKeyUpdate().execute()
  return team
}

/**
 * Returns the group of the team of a survey that the actor owns, locked until the commit.
 * @throws {Problem} `survey_not_found`, `forbidden`; `missing` if nobody has been invited
 */
async function lockOwnTeam(context: Context, surveyId: number, missing: () => Error): Promise<number> {
  await authorize(context, surveyId, 'Owner')
  const team = await lockTeam(context, surveyId)
  if (team === undefined) throw missing()
  return team
}

/**
 * Replaces the roles of a person on a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `member_not_found`, `invalid_request`
 */
export async function setTeamMember(
  context: Context,
  surveyId: number,
  accountId: number,
  names: string,
): Promise<MemberSummary> {
  const team = await lockOwnTeam(context, surveyId, problems.memberNotFound)
  const roles = parseRoles(names)
  const member = await membersOf(context, team).where('account.id', '=', accountId).executeTakeFirst()
  if (!member) throw problems.memberNotFound()
  await storeMember(context, team, accountId, roles)
  await recordRoles(context, accountId, { survey: surveyId, member: accountId, roles })
  return { ...member, roles }
}

/**
 * Removes a person from a survey.
 * @throws {Problem} `survey_not_found`, `forbidden`, `member_not_found`
 */
export async function removeTeamMember(context: Context, surveyId: number, accountId: number): Promise<void> {
  const team = await lockOwnTeam(context, surveyId, problems.memberNotFound)
  await deleteMember(context, team, accountId)
  await recordRoles(context, accountId, { survey: surveyId, member: accountId, removed: true })
}

/**
 * Sends an invitation again, with a new link.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invitation_not_found`, `too_many_requests`
 */
export async function resendTeamInvitation(context: Context, surveyId: number, id: number): Promise<InvitationLink> {
  const { name } = await summariseSurvey(context, surveyId, 'Owner')
  const team = await lockOwnTeam(context, surveyId, problems.invitationNotFound)
  return resendInvitation(context, team, id, name)
}

/**
 * Withdraws an invitation.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invitation_not_found`
 */
export async function withdrawTeamInvitation(context: Context, surveyId: number, id: number): Promise<void> {
  await withdrawInvitation(context, await lockOwnTeam(context, surveyId, problems.invitationNotFound), id)
}
