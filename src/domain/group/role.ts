import { problems } from '../problem.ts'

/**
 * What a member of a group may do in the surveys shared with it, in the order in which roles are shown
 * (docs/specification.md 3.5). `Edit`: structure, settings, name, tags, versions, languages. `Test`: see it. `Publish`: open and close
 * it. `Deploy`: invitations, e-mails, collectors, embeds. `Analyze`: responses, exports, reports, filters.
 */
export const ROLES = ['Edit', 'Test', 'Publish', 'Deploy', 'Analyze'] as const
export type Role = (typeof ROLES)[number]

/**
 * Roles as they are given: names in any case with spaces between them.
 * @returns them without repetition, in the order in which they are shown
 * @throws {Problem} `invalid_request` naming those that do not exist
 */
export function parseRoles(text: string): Role[] {
  const given = new Set(text.toLowerCase().split(/\s+/).filter(Boolean))
  const found = ROLES.filter((role) => given.delete(role.toLowerCase()))
  if (given.size)
    throw problems.invalidField(
      'roles',
      'unknown_role',
      { allowed: [...ROLES] },
      `${[...given].map((role) => `“${role}”`).join(', ')} is not a role; the roles are ${ROLES.join(', ')}`,
    )
  return found
}
