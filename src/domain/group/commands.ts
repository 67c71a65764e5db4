import { LockMode } from '@mikro-orm/core'
import { findAccountByLogin } from '../account/credentials.ts'
import type { Context, PublicContext } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import { surveyChain } from '../security/chain.ts'
import { recordSecurityEvent, type SecurityEventDetails } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { invalidateGroupSurveys } from './access.ts'
import { Group, parseRoles, type Role } from './group.ts'
import { type MemberSummary, summariseGroup, summariseMember } from './queries.ts'

const MAX_NAME_CHARACTERS = 100

const checkGroupName = (name: string): string => checkName(name, 'name', MAX_NAME_CHARACTERS)

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

/**
 * Returns the id of the account with an email address.
 * @throws {Problem} `invalid_request`, `user_not_found`
 */
async function accountIdOf({ em }: Context, email: string | undefined): Promise<number> {
  if (email === undefined) throw problems.invalidField('email', 'missing_parameter')
  // Usernames contain no @, so this finds accounts by email address only.
  if (!isEmailAddress(readEmailAddress(email))) throw problems.invalidField('email', 'invalid_email')
  const account = await findAccountByLogin(em, email)
  if (!account) throw problems.userNotFound()
  return account.id
}

/**
 * Adds an account to a group, or replaces the roles of a member.
 * @param roles names separated by spaces; absent: a member keeps its roles, and a new member has none
 * @throws {Problem} `group_not_found`, `forbidden`, `user_not_found`, `invalid_request`
 */
export async function setMember(
  context: Context,
  groupId: number,
  { email, roles }: { email: string | undefined; roles?: string | undefined },
): Promise<MemberSummary> {
  await lockOwnGroup(context, groupId)
  const newRoles = roles === undefined ? undefined : parseRoles(roles)
  const accountId = await accountIdOf(context, email)
  await storeMember(context, groupId, accountId, newRoles)
  if (newRoles) await recordRoles(context, accountId, { group: groupId, member: accountId, roles: newRoles })
  return summariseMember(context, groupId, accountId)
}

/**
 * Stores a member of a group. The caller has locked the group, and checked and records who does it.
 * @param roles undefined: a member keeps its roles, and a new member has none
 * @param provider the OpenID provider whose groups make the membership; null: a person makes it
 */
export async function storeMember(
  { em, now }: PublicContext,
  groupId: number,
  accountId: number,
  roles: readonly Role[] | undefined,
  provider: string | null = null,
): Promise<void> {
  await invalidateGroupSurveys(em, groupId)
  await em
    .getKysely<Tables>()
    .insertInto('group_member')
    .values({ group_id: groupId, account_id: accountId, roles: [...(roles ?? [])], provider, created_at: now })
    .onConflict((conflict) => {
      const existing = conflict.columns(['group_id', 'account_id'])
      return roles ? existing.doUpdateSet({ roles: [...roles], provider }) : existing.doNothing()
    })
    .execute()
}

/**
 * Removes an account from a group.
 * @throws {Problem} `group_not_found`, `forbidden`, `user_not_found`, `member_not_found`
 */
export async function removeMember(context: Context, groupId: number, email: string | undefined): Promise<void> {
  await lockOwnGroup(context, groupId)
  const accountId = await accountIdOf(context, email)
  await deleteMember(context, groupId, accountId)
  await recordRoles(context, accountId, { group: groupId, member: accountId, removed: true })
}

/**
 * Deletes a member of a group. The caller has locked the group, and checked and records who does it.
 * @throws {Problem} `member_not_found`
 */
export async function deleteMember({ em }: PublicContext, groupId: number, accountId: number): Promise<void> {
  await invalidateGroupSurveys(em, groupId)
  const removed = await em
    .getKysely<Tables>()
    .deleteFrom('group_member')
    .where('group_id', '=', groupId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) throw problems.memberNotFound()
}

/**
 * Records a change of the actor in the log of the survey or of the owner of the group, and in that of the member, in
 * order of the ids of the chains, so that no deadlock can occur.
 * @param owner the owner of the group; absent: the actor
 */
export async function recordRoles(
  context: Context,
  member: number,
  details: SecurityEventDetails,
  owner: number = context.actor.id,
): Promise<void> {
  const place = typeof details.survey === 'number' ? surveyChain(details.survey) : owner
  for (const id of [...new Set([place, member])].sort((a, b) => a - b))
    await recordSecurityEvent(context, id, 'roles_changed', { ...details, by: context.actor.id })
}
