import type { ExpressionBuilder } from 'kysely'
import type { Actor, Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Role } from './group.ts'

/** A group as lists show it. */
export interface GroupSummary {
  id: number
  name: string
  ownerId: number
  members: number
}

/** A member of a group as lists show it. */
export interface MemberSummary {
  /** Id of the account. */
  id: number
  name: string
  email: string
  roles: readonly Role[]
}

/** A group with its members and the surveys that are shared with it. */
export interface GroupDescription {
  group: GroupSummary
  members: readonly MemberSummary[]
  surveys: readonly { id: number; name: string }[]
}

/** Returns a condition for the groups that an actor owns or belongs to. */
export const groupVisibleTo = (actor: Actor) => (eb: ExpressionBuilder<Tables, 'account_group'>) =>
  eb.or([
    eb('account_group.owner_id', '=', actor.id),
    eb(
      'account_group.id',
      'in',
      eb.selectFrom('group_member').select('group_member.group_id').where('group_member.account_id', '=', actor.id),
    ),
  ])

/**
 * Returns a query for the groups that the actor owns or belongs to, oldest first, with the number of members. The teams
 * of surveys are left out.
 */
export const visibleGroups = ({ em, actor }: Context) =>
  em
    .getKysely<Tables>()
    .selectFrom('account_group')
    .select((eb) => [
      'account_group.id',
      'account_group.name',
      'account_group.owner_id as ownerId',
      eb
        .selectFrom('group_member')
        .select((inner) => inner.fn.countAll<number>().as('number'))
        .whereRef('group_member.group_id', '=', 'account_group.id')
        .$asScalar()
        .$notNull()
        .as('members'),
    ])
    .where(groupVisibleTo(actor))
    .where('account_group.id', 'not in', (eb) => eb.selectFrom('survey_team').select('survey_team.group_id'))
    .orderBy('account_group.id')

/** Returns the groups that the actor owns or belongs to, oldest first. */
export const listGroups = (context: Context): Promise<GroupSummary[]> => visibleGroups(context).execute()

/**
 * Returns a group that the actor owns or belongs to.
 * @throws {Problem} `group_not_found`
 */
export async function summariseGroup(context: Context, id: number): Promise<GroupSummary> {
  const group = await visibleGroups(context).where('account_group.id', '=', id).executeTakeFirst()
  if (!group) throw problems.groupNotFound()
  return group
}

/** Returns a query for the members of a group, oldest account first. The caller checks the access. */
export const membersOf = ({ em }: Context, groupId: number) =>
  em
    .getKysely<Tables>()
    .selectFrom('group_member')
    .innerJoin('account', 'account.id', 'group_member.account_id')
    .select(['account.id', 'account.name', 'account.email', 'group_member.roles'])
    .where('group_member.group_id', '=', groupId)
    .orderBy('account.id')

/**
 * Returns the members of a group, oldest account first.
 * @throws {Problem} `group_not_found`
 */
export async function listMembers(context: Context, groupId: number): Promise<MemberSummary[]> {
  await summariseGroup(context, groupId)
  return membersOf(context, groupId).execute()
}

/**
 * Returns a member of a group.
 * @throws {Problem} `group_not_found`, `member_not_found`
 */
export async function summariseMember(context: Context, groupId: number, accountId: number): Promise<MemberSummary> {
  await summariseGroup(context, groupId)
  const member = await membersOf(context, groupId).where('account.id', '=', accountId).executeTakeFirst()
  if (!member) throw problems.memberNotFound()
  return member
}

/**
 * Returns a group with its members and surveys.
 * @throws {Problem} `group_not_found`
 */
export async function describeGroup(context: Context, id: number): Promise<GroupDescription> {
  const group = await summariseGroup(context, id)
  const surveys = await context.em
    .getKysely<Tables>()
    .selectFrom('survey_group')
    .innerJoin('survey', 'survey.id', 'survey_group.survey_id')
    .select(['survey.id', 'survey.name'])
    .where('survey_group.group_id', '=', id)
    .where('survey.deleted_at', 'is', null)
    .orderBy('survey.id')
    .execute()
  return { group, surveys, members: await membersOf(context, id).execute() }
}
