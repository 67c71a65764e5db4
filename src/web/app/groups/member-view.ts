import { ROLES, type Role } from '../../../domain/group/group.ts'
import type { MemberSummary } from '../../../domain/group/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** Descriptions of what each role allows. */
const ROLE_DESCRIPTIONS: () => Readonly<Record<Role, string>> = perLanguage(() => ({
  Edit: t('Edit the structure and settings.'),
  Test: t('View the structure, and take the survey while it is closed.'),
  Publish: t('Open and close the survey.'),
  Deploy: t('Send invitations and create embeds.'),
  Analyze: t('View and manage responses and reports.'),
}))

/**
 * Renders the checkboxes of roles.
 * @param of a part of the IDs of the checkboxes; it must be different for each member on a page
 */
export const rolesView = (chosen: readonly Role[], of: string | number): Html =>
  html`<fieldset class="roles"><legend>Roles</legend>${ROLES.map(
    (role) =>
      html`<label class="option" for="role-${of}-${role}"><input type="checkbox" id="role-${of}-${role}" name="roles" value="${role}"${chosen.includes(role) && html` checked`}> <span><strong>${t(role)}</strong> <span class="hint">${ROLE_DESCRIPTIONS()[role]}</span></span></label>`,
  )}</fieldset>`

/**
 * Renders a member of a group. If the owner of the group views the page, adds a form that changes the member's roles
 * and a form that removes the member.
 */
export const memberRow = (
  { id, name, email, roles }: MemberSummary,
  change: { csrf: string; path: string } | undefined,
): Html =>
  html`<li><div class="grow"><strong>${name || email}</strong> <span class="soft">${name && email}</span><p class="soft">${roles.length > 0 ? roles.map((role) => t(role)).join(', ') : t('No roles. This member can see only the overview of each survey.')}</p>${
    change &&
    html`<details class="change"><summary>Change roles<span class="hidden"> of ${name || email}</span></summary><form method="post" action="${change.path}members/">${csrfField(change.csrf)}<input type="hidden" name="email" value="${email}">${rolesView(roles, id)}<button class="small">Save roles</button></form></details>`
  }</div>${
    change &&
    html`<form method="post" action="${change.path}members/remove/">${csrfField(change.csrf)}<button class="small quiet" name="email" value="${email}" aria-label="Remove ${name || email}">Remove</button></form>`
  }</li>`
