import type { ExpressionBuilder } from 'kysely'
import type { Actor } from '../actor.ts'
import type { Context } from '../context.ts'
import { type Problem, problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import type { Role } from './role.ts'

/** What a survey asks of whoever does something: to see it at all, to own it, or one of some roles. */
export type Permission = 'Member' | 'Owner' | Role | readonly Role[]

/** What an actor is to a survey; its owner may everything. */
export type Access = 'Owner' | ReadonlySet<Role>

/** Whether somebody may. */
export function can(access: Access | undefined, demand: Permission): boolean {
  if (!access) return false
  if (access === 'Owner' || demand === 'Member') return true
  return demand !== 'Owner' && asList(demand).some((role) => access.has(role))
}

const asList = (demand: Role | readonly Role[]): readonly Role[] => (typeof demand === 'string' ? [demand] : demand)

/**
 * Lets through who may.
 * @param access undefined: the survey is unknown to them, so it is missing and not forbidden
 * @throws {Problem} `missing`; `forbidden` for a survey that may be seen
 */
export function assertAccess(access: Access | undefined, demand: Permission, missing: () => Problem): void {
  if (!access) throw missing()
  if (can(access, demand)) return
  throw demand === 'Owner' || demand === 'Member' ? problems.ownerOnly() : problems.roleRequired(asList(demand))
}

/** What the actor is to a survey, in one query; undefined: nothing. */
export const findAccess = async (context: Context, surveyId: number): Promise<Access | undefined> =>
  (await findAccessBySurvey(context, [surveyId])).get(surveyId)

/** The same for several surveys, in one query; those that are unknown to the actor are not among them. */
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
    .where((eb) => eb.or([eb('survey.owner_id', '=', actor.id), eb('group_member.account_id', 'is not', null)]))
    .execute()
  const accesses = new Map<number, Access>()
  for (const [id, ofOne] of Map.groupBy(rows, (row) => row.id)) {
    const isOwner = ofOne[0]!.owner_id === actor.id
    accesses.set(id, isOwner ? 'Owner' : new Set(ofOne.flatMap(({ roles }) => roles ?? [])))
  }
  return accesses
}

/**
 * Lets the actor do something in a survey, or in what belongs to it.
 * @param missing what to say to whom the survey is unknown
 * @throws {Problem} `survey_not_found` or the other one, `forbidden`
 */
export async function authorize(
  context: Context,
  surveyId: number,
  demand: Permission,
  missing: () => Problem = problems.surveyNotFound,
): Promise<void> {
  assertAccess(await findAccess(context, surveyId), demand, missing)
}

/**
 * The surveys that an actor owns or has by a group, for lists; with a role, only those where they have it. Written as
 * a set of ids, so that both halves are found by index.
 */
export const visibleTo = (actor: Actor, role?: Role) => (eb: ExpressionBuilder<Tables, 'survey'>) => {
  let shared = eb
    .selectFrom('survey_group')
    .innerJoin('group_member', 'group_member.group_id', 'survey_group.group_id')
    .select('survey_group.survey_id as id')
    .where('group_member.account_id', '=', actor.id)
  if (role) shared = shared.where((inner) => inner(inner.val(role), '=', inner.fn.any('group_member.roles')))
  const own = eb.selectFrom('survey as own').select('own.id').where('own.owner_id', '=', actor.id)
  return eb('survey.id', 'in', own.union(shared))
}

/** Who may what in a survey by the groups it is shared with: the roles of each account, none for a mere member. */
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
    members.set(account_id, new Set([...(members.get(account_id) ?? []), ...roles]))
  return members
}
