import type { OpenIdPerson } from '../../lib/open-id.ts'
import { ConfigError } from '../../lib/settings.ts'
import type { PublicContext } from '../context.ts'
import { deleteMember, storeMember } from '../group/commands.ts'
import { parseRoles, type Role } from '../group/group.ts'
import { recordSecurityEvent, type SecurityEventDetails } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import type { SignInProvider } from './provider.ts'

/**
 * Makes a person a member of the groups that the provider's groups stand for, with their roles, and ends memberships
 * that came from groups which the person has left. Changes no membership that a person made. Call it inside the
 * transaction of the sign-in.
 * @returns false if the provider does not say which groups the person has; nothing was changed
 */
export async function applyGroups(
  context: PublicContext,
  { id: provider, groups: rules }: Pick<SignInProvider, 'id' | 'groups'>,
  { groups: names }: Pick<OpenIdPerson, 'groups'>,
  accountId: number,
): Promise<boolean> {
  if (rules.length === 0) return true
  if (!names) return false
  const wanted = rolesByGroup(rules, new Set(names))
  const db = context.em.getKysely<Tables>()
  const ids = [...new Set(rules.map(({ group }) => group))]
  const groups = await db
    .selectFrom('account_group')
    .select(['id', 'owner_id'])
    .where('id', 'in', ids)
    .where('owner_id', '!=', accountId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const rows = await db
    .selectFrom('group_member')
    .select(['group_id', 'roles', 'provider'])
    .where('account_id', '=', accountId)
    .where('group_id', 'in', ids)
    .execute()
  const members = new Map(rows.map((row) => [row.group_id, row]))
  for (const { id: group, owner_id: owner } of groups) {
    const member = members.get(group)
    const roles = wanted.get(group)
    if (member && member.provider !== provider) continue
    if (roles && roles.join() !== member?.roles.join()) {
      await storeMember(context, group, accountId, roles, provider)
      await record(context, [owner, accountId], { group, member: accountId, roles })
    } else if (member && !roles) {
      await deleteMember(context, group, accountId)
      await record(context, [owner, accountId], { group, member: accountId, removed: true })
    }
  }
  return true
}

/**
 * Checks the names of the roles in the rules.
 * @throws {ConfigError} for an unknown role
 */
export function assertGroupRoles(providers: readonly Pick<SignInProvider, 'id' | 'groups'>[]): void {
  for (const { id, groups } of providers)
    for (const { roles } of groups)
      try {
        parseRoles(roles)
      } catch (error) {
        throw new ConfigError(`OIDC_PROVIDERS_FILE: the roles “${roles}” of “${id}”: ${(error as Error).message}`)
      }
}

/** Returns the roles that groups of the provider give, by the group in which they give them. */
function rolesByGroup(rules: SignInProvider['groups'], names: ReadonlySet<string>): Map<number, Role[]> {
  const matching = Map.groupBy(
    rules.filter(({ name }) => names.has(name)),
    ({ group }) => group,
  )
  return new Map(
    [...matching].map(([group, found]) => {
      return [group, parseRoles(found.map(({ roles }) => roles).join(' '))]
    }),
  )
}

/** Records a change in the logs of the owner and of the member, in order of their ids, so that no deadlock can occur. */
async function record(context: PublicContext, accounts: number[], details: SecurityEventDetails): Promise<void> {
  for (const id of accounts.sort((a, b) => a - b))
    await recordSecurityEvent(context, id, 'roles_changed', { ...details, by: 0 })
}
