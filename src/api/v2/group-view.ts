import type { GroupDescription, GroupSummary, MemberSummary } from '../../domain/group/queries.ts'
import type { Site } from '../../domain/services.ts'
import type { Schemas } from './operation.ts'
import { groupUri, surveyUri, userUri } from './urls.ts'

/** Specification, "Group (v2)", as in lists. */
export const groupView = (site: Site, group: GroupSummary): Schemas['GroupSummary'] => ({
  id: group.id,
  name: group.name,
  group_uri: groupUri(site, group.id),
  num_members: group.members,
})

/** Specification, "Group member". */
export const memberView = (site: Site, member: MemberSummary): Schemas['Member'] => ({
  id: member.id,
  user_uri: userUri(site, member.id),
  name: member.name,
  email: member.email,
  roles: [...member.roles],
})

/** Specification, "Group (v2)", with details. There are no polls here, so none is shared. */
export const groupDetailsView = (
  site: Site,
  { group, members, surveys }: GroupDescription,
): Schemas['GroupDetails'] => ({
  ...groupView(site, group),
  members: members.map((member) => memberView(site, member)),
  surveys: surveys.map(({ id, name }) => ({ id, name, uri: surveyUri(site, id) })),
  polls: [],
})
