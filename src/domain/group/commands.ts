import { LockMode } from '@mikro-orm/core'
import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Group } from './group.ts'
import { invalidateGroupSurveys } from './invalidate-surveys.ts'
import { summariseGroup } from './queries.ts'

const MAX_NAME_CHARACTERS = 100
const LETTERS_AND_DIGITS = /^[\p{L}\p{M}\p{Nd}]+$/u

/**
 * Trims and checks the name of a group.
 * @throws {Problem} `invalid_request` for a name with other characters than letters and digits
 */
function checkGroupName(name: string): string {
  const checked = checkName(name, 'name', MAX_NAME_CHARACTERS)
  if (!LETTERS_AND_DIGITS.test(checked)) throw problems.invalidField('name', 'invalid_name', {}, detail('group_name'))
  return checked
}

/**
 * Returns a group of the actor as an entity that the caller changes. Locks its row until the commit. Call it inside a
 * transaction.
 * @throws {Problem} `group_not_found`; `forbidden` unless the actor owns the group
 */
export async function lockOwnGroup(context: Context, id: number): Promise<Group> {
  const { em, actor } = context
  const { ownerId } = await summariseGroup(context, id)
  if (ownerId !== actor.id) throw problems.forbidden('change this group. Only its owner can')
  return em.findOneOrFail(Group, id, {
    failHandler: problems.groupNotFound,
    lockMode: LockMode.PESSIMISTIC_WRITE,
  })
}

/**
 * Creates a group without members.
 * @throws {Problem} `invalid_request`
 */
export async function createGroup({ em, actor, now }: Context, name: string): Promise<Group> {
  const group = em.create(Group, { owner: actor.id, name: checkGroupName(name), createdAt: now })
  await em.flush()
  return group
}

/**
 * Renames a group.
 * @throws {Problem} `group_not_found`, `forbidden`, `invalid_request`
 */
export async function renameGroup(context: Context, id: number, name: string): Promise<void> {
  const checked = checkGroupName(name)
  const group = await lockOwnGroup(context, id)
  group.name = checked
  await context.em.flush()
}

/**
 * Deletes a group. Its members lose access to the surveys of the group. The surveys are not deleted.
 * @throws {Problem} `group_not_found`, `forbidden`
 */
export async function deleteGroup(context: Context, id: number): Promise<void> {
  const group = await lockOwnGroup(context, id)
  await invalidateGroupSurveys(context.em, group.id)
  await context.em.getKysely<Tables>().deleteFrom('account_group').where('id', '=', id).execute()
}
