import { createGroup, setMember } from '../../src/domain/group/commands.ts'
import { shareSurvey } from '../../src/domain/survey/sharing.ts'
import type { Person } from './world.ts'

/** Creates a group. @returns its ID */
export async function makeGroup(owner: Person, name = 'Team'): Promise<number> {
  const { id } = await owner.act((context) => createGroup(context, name))
  return id
}

/** Adds a member to a group, or replaces the roles of a member. @param roles names of roles separated by spaces */
export async function addMember(owner: Person, group: number, member: Person, roles: string): Promise<void> {
  await owner.act((context) => setMember(context, group, { email: member.actor.email, roles }))
}

/** Shares a survey with a group. */
export async function share(owner: Person, survey: number, group: number): Promise<void> {
  await owner.act((context) => shareSurvey(context, survey, String(group)))
}

/** Shares a survey with a new group that has one member. @param roles names of roles separated by spaces */
export async function shareWith(owner: Person, survey: number, member: Person, roles: string): Promise<number> {
  const group = await makeGroup(owner)
  await addMember(owner, group, member, roles)
  await share(owner, survey, group)
  return group
}
