import type { EntityManager } from '@mikro-orm/postgresql'
import type { ExpressionBuilder } from 'kysely'
import type { Actor, Context } from '../context.ts'
import { type Problem, problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { expandRoles, type ROLES, type Role } from './group.ts'

/** What an action on a survey requires: any access, ownership, or one of several roles. */
export type Permission = 'Member' | 'Owner' | Role | readonly Role[]

/** The access of an actor to a survey: ownership, or the roles of a member. */
export type Access = 'Owner' | ReadonlySet<Role>

/** Returns whether an access includes a permission. */
export function can(access: Access | undefined, permission: Permission): boolean {
  if (!access) return false
  if (access === 'Owner' || permission === 'Member') return true
  return permission !== 'Owner' && asList(permission).some((role) => access.has(role))
}

const asList = (permission: Role | readonly Role[]): readonly Role[] =>
  typeof permission === 'string' ? [permission] : permission

/**
 * Checks that an access includes a permission.
 * @param access undefined: the actor may not see the survey
 * @throws {Problem} the Problem that `missing` creates if the actor may not see the survey; otherwise `forbidden`
 */
export function assertAccess(access: Access | undefined, permission: Permission, missing: () => Problem): void {
  if (!access) throw missing()
  if (can(access, permission)) return
  throw permission === 'Owner' || permission === 'Member'
    ? problems.ownerOnly()
    : problems.roleRequired(asList(permission))
}

/** Returns the access of the actor to a survey, with one query. Returns undefined if the actor has no access. */
export const findAccess = async (context: Context, surveyId: number): Promise<Access | undefined> =>
  (await findAccessBySurvey(context, [surveyId])).get(surveyId)

/** Returns the access of the actor to several surveys, by one query. Surveys that the actor may not see are omitted. */
export async function findAccessBySurvey(
  { em, actor }: Context,
  surveyIds: readonly number[],
): Promise<ReadonlyMap<number, Access>> {
  if (!surveyIds.length) return new Map()
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .leftJoin('survey_group', 'survey_group.survey_id', 'survey.id')
    .leftJoin('group_member', (join) =>
      join.onRef('group_member.group_id', '=', 'survey_group.group_id').on('group_member.account_id', '=', actor.id),
    )
    .select(['survey.id', 'survey.owner_id', 'group_member.roles'])
    .where('survey.id', 'in', [...surveyIds])
    .where('survey.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('survey.owner_id', '=', actor.id), eb('group_member.account_id', 'is not', null)]))
    .execute()
  const accesses = new Map<number, Access>()
  for (const [id, memberships] of Map.groupBy(rows, (row) => row.id)) {
    const isOwner = memberships[0]!.owner_id === actor.id
    accesses.set(id, isOwner ? 'Owner' : expandRoles(memberships.flatMap(({ roles }) => roles ?? [])))
  }
  return accesses
}

/**
 * Checks that the actor has a permission on a survey.
 * @param missing creates the problem for a survey that the actor may not see; by default `survey_not_found`
 * @throws {Problem} the problem of `missing`, `forbidden`
 */
export async function authorize(
  context: Context,
  surveyId: number,
  permission: Permission,
  missing: () => Problem = problems.surveyNotFound,
): Promise<void> {
  assertAccess(await findAccess(context, surveyId), permission, missing)
}

/**
 * Returns a condition for the surveys that an actor owns or can access through a group. With `role`, a survey of
 * another owner matches only if the actor has this role on it. The condition is a union of two subqueries, so that
 * PostgreSQL uses an index for each.
 */
export const visibleTo =
  (actor: Actor, role?: Exclude<(typeof ROLES)[number], 'Analyze'>) => (eb: ExpressionBuilder<Tables, 'survey'>) => {
    let shared = eb
      .selectFrom('survey_group')
      .innerJoin('group_member', 'group_member.group_id', 'survey_group.group_id')
      .select('survey_group.survey_id as id')
      .where('group_member.account_id', '=', actor.id)
    if (role) shared = shared.where((inner) => inner(inner.val<Role>(role), '=', inner.fn.any('group_member.roles')))
    const own = eb.selectFrom('survey as own').select('own.id').where('own.owner_id', '=', actor.id)
    return eb.and([eb('survey.id', 'in', own.union(shared)), eb('survey.deleted_at', 'is', null)])
  }

/**
 * Returns the roles that accounts have on a survey through its groups. For a member without roles, the set is empty.
 */
export async function rolesByMember(
  { em }: Pick<Context, 'em'>,
  surveyId: number,
): Promise<ReadonlyMap<number, ReadonlySet<Role>>> {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('survey_group')
    .innerJoin('group_member', 'group_member.group_id', 'survey_group.group_id')
    .select(['group_member.account_id', 'group_member.roles'])
    .where('survey_group.survey_id', '=', surveyId)
    .execute()
  const members = new Map<number, Set<Role>>()
  for (const { account_id, roles } of rows)
    members.set(account_id, expandRoles([...(members.get(account_id) ?? []), ...roles]))
  return members
}

/**
 * Invalidates the cached snapshots of all surveys shared with a group (survey/snapshot.ts), because they contain the
 * roles of members. Locks the rows of the surveys in order of their ids until the commit.
 */
export async function invalidateGroupSurveys(em: EntityManager, groupId: number): Promise<void> {
  const db = em.getKysely<Tables>()
  const ids = db.selectFrom('survey_group').select('survey_id').where('group_id', '=', groupId)
  const locked = db.selectFrom('survey').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate()
  await db
    .with('shared', () => locked)
    .updateTable('survey')
    .from('shared')
    .whereRef('survey.id', '=', 'shared.id')
    .set((eb) => ({ revision: eb('survey.revision', '+', 1) }))
    .execute()
}
