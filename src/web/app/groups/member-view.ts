import type { MemberSummary } from '../../../domain/group/queries.ts'
import { ROLES, type Role } from '../../../domain/group/role.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'

/** What each role lets a member do, for people. */
const means: Readonly<Record<Role, string>> = {
  Edit: 'change structure and settings',
  Test: 'see it while it is closed',
  Publish: 'open and close it',
  Deploy: 'invite and embed',
  Analyze: 'see responses and reports',
}

/** Roles to choose. @param of tells apart the boxes of several members on a page */
export const rolesView = (chosen: readonly Role[], of: string | number): Html =>
  html`<fieldset class="roles"><legend>Roles</legend>${ROLES.map(
    (role) =>
      html`<label class="way" for="role-${of}-${role}"><input type="checkbox" id="role-${of}-${role}" name="roles" value="${role}"${chosen.includes(role) && html` checked`}> <span>${role} <span class="soft">${means[role]}</span></span></label>`,
  )}</fieldset>`

/** A member; with what it takes to change them for the owner of the group. */
export const memberRow = (
  { id, name, email, roles: given }: MemberSummary,
  change: { csrf: string; path: string } | undefined,
): Html =>
  html`<li><div class="grow"><strong>${name || email}</strong> <span class="soft">${name && email}</span><p class="soft">${given.length > 0 ? given.join(', ') : 'No roles: sees that the surveys are there'}</p>${
    change &&
    html`<details class="change"><summary>Change<span class="hidden"> the roles of ${name || email}</span></summary><form method="post" action="${change.path}members/">${csrfField(change.csrf)}<input type="hidden" name="email" value="${email}">${rolesView(given, id)}<button class="small">Save the roles</button></form></details>`
  }</div>${
    change &&
    html`<form method="post" action="${change.path}members/remove/">${csrfField(change.csrf)}<button class="small quiet" name="email" value="${email}" aria-label="Remove ${name || email}">Remove</button></form>`
  }</li>`
