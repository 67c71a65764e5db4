import type { ColleagueInvitation, InvitationLink } from '../../../domain/group/colleague-invitations.ts'
import { expandRoles, RIGHTS, ROLE_NAMES, type Role } from '../../../domain/group/group.ts'
import type { MemberSummary } from '../../../domain/group/queries.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { copyButton, type FormErrors, field } from '../../forms/field.ts'
import { type FormFields, formValue, formValues } from '../../forms/form-fields.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { dateTag } from '../../layout/format.ts'

/** Where the forms of a page about people are sent. */
export interface PeopleForms {
  csrf: string
  /** The address of the page. The addresses of the forms begin with it. */
  path: string
}

/** The roles that the forms offer, from the one that allows least. */
const OFFERED = [
  ...(['Report', 'View', 'Export', 'Correct', 'Delete'] as const),
  ...(['Test', 'Edit', 'Publish', 'Deploy'] as const),
]

/** What each role allows, in words that need no explanation. */
export const ROLE_LABELS: () => Readonly<Record<Role, string>> = perLanguage(() => ({
  Edit: t('Can edit the survey'),
  Test: t('Can view the questions, and test the survey while it is closed'),
  Publish: t('Can open and close the survey'),
  Deploy: t('Can invite respondents and embed the survey'),
  Analyze: t('Can view, edit, export and delete responses and reports'),
  Report: t('Can view reports'),
  View: t('Can view responses'),
  Correct: t('Can edit answers, reports and filters'),
  Export: t('Can export responses'),
  Delete: t('Can delete responses'),
}))

/** The roles that the form for an invitation suggests. */
const SUGGESTED: readonly Role[] = ['Report', 'View']

/** Returns roles for a text: one for all rights on responses, or each of them. */
export function shownRoles(roles: readonly Role[]): Role[] {
  const expanded = expandRoles(roles)
  const all = expanded.has('Analyze')
  return [
    ...(all ? (['Analyze'] as const) : []),
    ...OFFERED.filter((role) => expanded.has(role) && !(all && RIGHTS.includes(role as never))),
  ]
}

/** Returns roles as one text. */
export const rolesText = (roles: readonly Role[]): string =>
  roles.length > 0
    ? shownRoles(roles)
        .map((role) => ROLE_LABELS()[role])
        .join(' · ')
    : t('No roles. This member can see only the overview of each survey.')

/**
 * Renders the checkboxes of roles.
 * @param of a part of the IDs of the checkboxes; it must be different for each member on a page
 */
function rolesView(given: readonly Role[], of: string | number): Html {
  const chosen = expandRoles(given)
  return html`<fieldset class="roles">
    <legend>Roles</legend>
    ${OFFERED.map(
      (role) =>
        html`<label class="option" for="role-${of}-${role}">
          <input type="checkbox" id="role-${of}-${role}" name="roles"
              value="${role}"${chosen.has(role) && html` checked`}> <span>${ROLE_LABELS()[role]}</span>
        </label>`,
    )}
  </fieldset>`
}

/** Renders the form that invites a person. */
export function inviteView({
  csrf,
  path,
  form,
  rejected,
  invitesNewAccounts,
}: PeopleForms & { form: FormFields; rejected: FormErrors | undefined; invitesNewAccounts: boolean }): Html {
  const errors = rejected?.errors
  const isRejected = rejected !== undefined && formValue(form, 'email') !== undefined
  const chosen = isRejected ? ROLE_NAMES.filter((role) => formValues(form, 'roles').includes(role)) : SUGGESTED
  return html`<section class="card" aria-labelledby="invite">
    <h2 id="invite">Invite a colleague</h2>
    <form method="post" action="${path}invitations/">
      ${csrfField(csrf)}
      ${field({
        name: 'email',
        label: t('Email address'),
        type: 'email',
        value: isRejected ? (formValue(form, 'email') ?? '') : '',
        hint: invitesNewAccounts
          ? t('People without an account create one when they accept.')
          : t('The person needs an account on this server. Your administrator creates accounts.'),
        required: true,
        errors,
      })}
      ${rolesView(chosen, 'new')}
      ${errors?.has('roles') && html`<p class="error">${errors.get('roles')}</p>`}
      <button class="primary">Invite</button>
    </form>
  </section>`
}

/** Renders the link of an invitation that no email takes to the person. */
export const linkView = ({ email, url }: InvitationLink): Part =>
  url !== undefined &&
  html`<div class="notice" role="status">
    <p>
      No mail server is set up, so no email was sent. Give this link to ${email} yourself. It can be used once, and you
      cannot see it again later.
    </p>
    <p class="copyable">
      <code class="secret" id="invitation-link">${url}</code> ${copyButton(
        'invitation-link',
        t('Copy the link of the invitation'),
      )}
    </p>
  </div>`

/** Renders the invitations that are not accepted. */
export const invitationsView = (invitations: readonly ColleagueInvitation[], { csrf, path }: PeopleForms): Part =>
  invitations.length > 0 &&
  html`<section class="card" aria-labelledby="invitations">
    <h2 id="invitations">Invitations</h2>
    <ul class="rows sides">
      ${invitations.map(
        ({ id, email, roles, state, expiresAt }) =>
          html`<li>
            <div class="grow">
              <strong>${email}</strong> ${
                state === 'pending'
                  ? html`<span class="soft">invited, expires ${dateTag(expiresAt)}</span>`
                  : html`<span class="tag open">${state === 'expired' ? t('Expired') : t('Declined')}</span>`
              }
              <p class="soft">${rolesText(roles)}</p>
            </div>
            ${
              state !== 'declined' &&
              html`
                <form method="post" action="${path}invitations/${id}/resend/">
                  ${csrfField(csrf)}
                  <button class="small quiet" aria-label="Send again: invitation of ${email}">Send again</button>
                </form>
                <form method="post" action="${path}invitations/${id}/withdraw/">
                  ${csrfField(csrf)}
                  <button class="small quiet" aria-label="Withdraw: invitation of ${email}">Withdraw</button>
                </form>`
            }
          </li>`,
      )}
    </ul>
  </section>`

/** Renders a member. With `change`, adds a form that changes the member's roles and a form that removes the member. */
export const memberView = ({ id, name, email, roles }: MemberSummary, change?: PeopleForms): Html =>
  html`<li>
    <div class="grow">
      <strong>${name || email}</strong> <span class="soft">${name && email}</span>
      <p class="soft">${rolesText(roles)}</p>
      ${
        change &&
        html`<details class="change">
          <summary>Change roles<span class="hidden"> of ${name || email}</span></summary>
          <form method="post" action="${change.path}members/">
            ${csrfField(change.csrf)}
            <input type="hidden" name="email" value="${email}">
            <input type="hidden" name="member" value="${id}">
            ${rolesView(roles, id)}
            <button class="small">Save roles</button>
          </form>
        </details>`
      }
    </div>
    ${
      change &&
      html`<form method="post" action="${change.path}members/remove/">
        ${csrfField(change.csrf)}
        <input type="hidden" name="member" value="${id}">
        <button class="small quiet" name="email" value="${email}" aria-label="Remove ${name || email}">Remove</button>
      </form>`
    }
  </li>`

/** Returns what a page says after a person was invited, or was invited again. */
export const invitedText = ({ email }: InvitationLink): string => t('Invitation to {email} is on its way.', { email })
