import { defineEntity, p } from '@mikro-orm/core'
import { TextArray } from '../../lib/postgres-client.ts'
import { AccountSchema } from '../account/account.ts'
import { problems } from '../problem.ts'

export const GroupSchema = defineEntity({
  name: 'Group',
  tableName: 'account_group',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    name: p.text(),
    createdAt: p.datetime(),
  },
})

/** A team of accounts with access to the surveys that are shared with it. */
export class Group extends GroupSchema.class {}
GroupSchema.setClass(Group)

export const GroupMemberSchema = defineEntity({
  name: 'GroupMember',
  properties: {
    group: () => p.manyToOne(GroupSchema).ref().primary().deleteRule('cascade'),
    account: () => p.manyToOne(AccountSchema).ref().primary().deleteRule('cascade').index(),
    roles: p.type(TextArray).$type<Role[]>(),
    createdAt: p.datetime(),
  },
})

/** The membership of an account in a group, with its roles on the surveys of the group. */
class GroupMember extends GroupMemberSchema.class {}
GroupMemberSchema.setClass(GroupMember)

/**
 * The roles of group members on the surveys of the group, in display order (docs/specification.md 3.5). `Edit`:
 * structure, settings, name, tags, versions, languages. `Test`: view the survey, and answer it while it is closed.
 * `Publish`: open and close it. `Deploy`: invitations, emails, collectors, embeds. `Analyze`: responses, exports,
 * reports, filters.
 */
export const ROLES = ['Edit', 'Test', 'Publish', 'Deploy', 'Analyze'] as const
export type Role = (typeof ROLES)[number]

/**
 * Parses role names separated by spaces, regardless of case.
 * @returns the roles without duplicates, in display order
 * @throws {Problem} `invalid_request` for an unknown role
 */
export function parseRoles(text: string): Role[] {
  const names = new Set(text.toLowerCase().split(/\s+/).filter(Boolean))
  const roles = ROLES.filter((role) => names.delete(role.toLowerCase()))
  if (names.size)
    throw problems.invalidField(
      'roles',
      'unknown_role',
      { allowed: [...ROLES] },
      `${[...names].map((role) => `“${role}”`).join(', ')} is not a role; the roles are ${ROLES.join(', ')}`,
    )
  return roles
}
