import type { GroupDescription, GroupSummary, MemberSummary } from '../../domain/group/queries.ts'
import type { Services } from '../../domain/services.ts'
import type { Schemas } from './operation.ts'
import { groupUri, surveyUri, userUri } from './urls.ts'

/** Shows a group as lists contain it (docs/specification.md 4.4). */
export const groupView = (services: Services, group: GroupSummary): Schemas['GroupSummary'] => ({
  id: group.id,
  name: group.name,
  group_uri: groupUri(services, group.id),
  num_members: group.members,
})

/** Shows a member of a group with the roles (docs/specification.md 4.4). */
export const memberView = (services: Services, member: MemberSummary): Schemas['Member'] => ({
  id: member.id,
  user_uri: userUri(services, member.id),
  name: member.name,
  email: member.email,
  roles: [...member.roles],
})

/**
 * Shows a group with its surveys and members (docs/specification.md 4.4). Canvass has no polls, so `polls` is empty.
 */
export const groupDetailsView = (
  services: Services,
  { group, members, surveys }: GroupDescription,
): Schemas['GroupDetails'] => ({
  ...groupView(services, group),
  members: members.map((member) => memberView(services, member)),
  surveys: surveys.map(({ id, name }) => ({ id, name, uri: surveyUri(services, id) })),
  polls: [],
})
