import { findAccountByLogin } from '../account/credentials.ts'
import type { Context } from '../context.ts'
import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent, type SecurityEventDetails } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import { lockOwnGroup } from './commands.ts'
import { invalidateGroupSurveys } from './invalidate-surveys.ts'
import { type MemberSummary, summariseMember } from './queries.ts'
import { parseRoles } from './role.ts'

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
  const { em, now } = context
  await lockOwnGroup(context, groupId)
  const newRoles = roles === undefined ? undefined : parseRoles(roles)
  const accountId = await accountIdOf(context, email)
  await invalidateGroupSurveys(em, groupId)
  await em
    .getKysely<Tables>()
    .insertInto('group_member')
    .values({ group_id: groupId, account_id: accountId, roles: newRoles ?? [], created_at: now })
    .onConflict((conflict) => {
      const existing = conflict.columns(['group_id', 'account_id'])
      return newRoles ? existing.doUpdateSet({ roles: newRoles }) : existing.doNothing()
    })
    .execute()
  if (newRoles) await recordRoles(context, accountId, { group: groupId, member: accountId, roles: newRoles })
  return summariseMember(context, groupId, accountId)
}

/**
 * Removes an account from a group.
 * @throws {Problem} `group_not_found`, `forbidden`, `user_not_found`, `member_not_found`
 */
export async function removeMember(context: Context, groupId: number, email: string | undefined): Promise<void> {
  const { em } = context
  await lockOwnGroup(context, groupId)
  const accountId = await accountIdOf(context, email)
  await invalidateGroupSurveys(em, groupId)
  const removed = await em
    .getKysely<Tables>()
    .deleteFrom('group_member')
    .where('group_id', '=', groupId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) throw problems.memberNotFound()
  await recordRoles(context, accountId, { group: groupId, member: accountId, removed: true })
}

/**
 * Records a change in the security logs of the owner and the member, in order of the account ids, so that no deadlock
 * can occur.
 */
async function recordRoles(context: Context, member: number, details: SecurityEventDetails): Promise<void> {
  for (const id of [...new Set([context.actor.id, member])].sort((a, b) => a - b))
    await recordSecurityEvent(context, id, 'roles_changed', details)
}
