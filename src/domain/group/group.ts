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
    /** The OpenID provider whose groups made the membership; null: a person made it. */
    provider: p.text().nullable(),
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
 * reports, filters, which is all of {@link RIGHTS}.
 */
export const ROLES = ['Edit', 'Test', 'Publish', 'Deploy', 'Analyze'] as const

/**
 * The parts of the role `Analyze`. `Report`: view reports. `View`: view responses. `Correct`: add and edit responses,
 * reports and filters. `Export`: download responses. `Delete`: delete responses, restore and erase deleted ones.
 */
export const RIGHTS = ['Report', 'View', 'Correct', 'Export', 'Delete'] as const

/** All names of roles, in display order. */
export const ROLE_NAMES = [...ROLES, ...RIGHTS] as const
export type Role = (typeof ROLE_NAMES)[number]

/** The rights that a right includes: people who change responses see them, and their reports. */
const INCLUDED: Readonly<Partial<Record<Role, readonly Role[]>>> = {
  Analyze: RIGHTS,
  View: ['Report'],
  Correct: ['View', 'Report'],
  Export: ['View', 'Report'],
  Delete: ['View', 'Report'],
}

/** Returns roles with all that they include: `Analyze` is the same as all of {@link RIGHTS}. */
export function expandRoles(roles: Iterable<Role>): Set<Role> {
  const expanded = new Set([...roles].flatMap((role) => [role, ...(INCLUDED[role] ?? [])]))
  if (RIGHTS.every((right) => expanded.has(right))) expanded.add('Analyze')
  return expanded
}

/** Returns roles without those that another one includes, in display order: the form in which they are stored. */
function normalizeRoles(roles: ReadonlySet<Role>): Role[] {
  const expanded = expandRoles(roles)
  if (expanded.has('Analyze')) return ROLES.filter((role) => expanded.has(role))
  return ROLE_NAMES.filter((role) => expanded.has(role))
}

/** Returns the roles that version 2 of the API knows. */
export const rolesOfVersion2 = (roles: readonly Role[]): (typeof ROLES)[number][] =>
  ROLES.filter((role) => roles.includes(role))

/**
 * Parses role names separated by spaces, regardless of case.
 * @returns the roles without duplicates and with the rights that they include, in display order
 * @throws {Problem} `invalid_request` for an unknown role
 */
export function parseRoles(text: string): Role[] {
  const names = new Set(text.toLowerCase().split(/\s+/).filter(Boolean))
  const roles = new Set(ROLE_NAMES.filter((role) => names.delete(role.toLowerCase())))
  if (names.size)
    throw problems.invalidField(
      'roles',
      'unknown_role',
      { allowed: [...ROLES] },
      `${[...names].map((role) => `“${role}”`).join(', ')} is not a role; the roles are ${ROLES.join(', ')}`,
    )
  return normalizeRoles(roles)
}
