import * as commands from '../../domain/group/commands.ts'
import { rolesOfVersion2 } from '../../domain/group/group.ts'
import type { GroupDescription, GroupSummary, MemberSummary } from '../../domain/group/queries.ts'
import * as queries from '../../domain/group/queries.ts'
import type { Services } from '../../domain/services.ts'
import * as sharing from '../../domain/survey/sharing.ts'
import { groupUri, type Operation, type Schemas, surveyUri, userUri } from './operation.ts'

export const listGroups: Operation<'listGroups'> = async ({ context }) => {
  const groups = await queries.listGroups(context)
  return {
    status: 200,
    body: { count: groups.length, groups: groups.map((group) => groupView(context.services, group)) },
  }
}

export const createGroup: Operation<'createGroup'> = async ({ context, body }) => {
  const { id } = await commands.createGroup(context, body.name)
  return { status: 200, body: groupView(context.services, await queries.summariseGroup(context, id)) }
}

export const getGroup: Operation<'getGroup'> = async ({ context, path }) => {
  return { status: 200, body: groupDetailsView(context.services, await queries.describeGroup(context, path.group_id)) }
}

export const renameGroup: Operation<'renameGroup'> = async ({ context, path, body }) => {
  await commands.renameGroup(context, path.group_id, body.name)
  return { status: 200, body: groupView(context.services, await queries.summariseGroup(context, path.group_id)) }
}

export const deleteGroup: Operation<'deleteGroup'> = async ({ context, path }) => {
  await commands.deleteGroup(context, path.group_id)
  return { status: 200, body: { success: true } }
}

export const listMembers: Operation<'listMembers'> = async ({ context, path }) => {
  const groupMembers = await queries.listMembers(context, path.group_id)
  const views = groupMembers.map((member) => memberView(context.services, member))
  return { status: 200, body: { num_members: groupMembers.length, members: views } }
}

export const setMember: Operation<'setMember'> = async ({ context, path, body }) => {
  const member = await commands.setMember(context, path.group_id, body)
  const group = groupView(context.services, await queries.summariseGroup(context, path.group_id))
  return { status: 200, body: { ...memberView(context.services, member), group } }
}

export const removeMember: Operation<'removeMember'> = async ({ context, path, query, body }) => {
  await commands.removeMember(context, path.group_id, query.email ?? body.email)
  return { status: 200, body: { success: true } }
}

const groupIdsOf = (group: number | string | undefined) => (group === undefined ? undefined : String(group))

export const shareSurvey: Operation<'shareSurvey'> = async ({ context, path, body }) => {
  await sharing.shareSurvey(context, path.survey_id, groupIdsOf(body.group))
  return { status: 200, body: { success: true } }
}

export const unshareSurvey: Operation<'unshareSurvey'> = async ({ context, path, query, body }) => {
  await sharing.unshareSurvey(context, path.survey_id, groupIdsOf(query.group ?? body.group))
  return { status: 200, body: { success: true } }
}

export {
  createGroup as createGroupAlias,
  deleteGroup as deleteGroupAlias,
  getGroup as getGroupAlias,
  listGroups as listGroupsAlias,
  listMembers as listMembersAlias,
  removeMember as removeMemberAlias,
  renameGroup as renameGroupAlias,
  setMember as setMemberAlias,
}

/** Shows a group as lists contain it (docs/specification.md 4.4). */
const groupView = (services: Services, group: GroupSummary): Schemas['GroupSummary'] => ({
  id: group.id,
  // Names of groups have letters and digits only in this version.
  name: group.name.replace(/[^\p{L}\p{M}\p{Nd}]+/gu, '') || `Group${group.id}`,
  group_uri: groupUri(services, group.id),
  num_members: group.members,
})

/** Shows a member of a group with the roles (docs/specification.md 4.4). */
const memberView = (services: Services, member: MemberSummary): Schemas['Member'] => ({
  id: member.id,
  user_uri: userUri(services, member.id),
  name: member.name,
  email: member.email,
  roles: rolesOfVersion2(member.roles),
})

/**
 * Shows a group with its surveys and members (docs/specification.md 4.4). Canvass has no polls, so `polls` is empty.
 */
const groupDetailsView = (
  services: Services,
  { group, members, surveys }: GroupDescription,
): Schemas['GroupDetails'] => ({
  ...groupView(services, group),
  members: members.map((member) => memberView(services, member)),
  surveys: surveys.map(({ id, name }) => ({ id, name, uri: surveyUri(services, id) })),
  polls: [],
})
