import type { Activity } from '../../../domain/account-data/activity.ts'
import type { SecurityLogNames } from '../../../domain/account-data/security-log-names.ts'
import type { Role } from '../../../domain/group/group.ts'
import type { Scope } from '../../../domain/oauth/scope.ts'
import type { SecurityEntry } from '../../../domain/security/queries.ts'
import type { SecurityEventKind } from '../../../domain/security/record.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { formatList } from '../../i18n/i18n.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { SCOPE_LABELS } from '../authorize.ts'
import { GROUPS_PATH } from '../groups.ts'
import { settingGroups } from '../settings/fields.ts'
import { surveyRoot } from '../surveys/survey-page.ts'
import { ROLE_LABELS, shownRoles } from './views.ts'

/**
 * Maps each setting to the text that a log entry contains if a change of this setting reduced the protection of a
 * survey. `shared reports` means that a password was set with which people who have no account can open the reports.
 */
const PROTECTIONS: () => Readonly<Record<string, string>> = perLanguage(() => ({
  password: t('password removed'),
  anonymous: t('anonymity turned off'),
  approval_required: t('approval no longer required'),
  invite_only: t('invitations no longer required'),
  one_per_invite: t('several responses per invitation allowed'),
  custom_authentication: t('sign-in turned off or identity provider changed'),
  'shared reports': t('reports shared, or the password of the shared reports changed'),
}))

/** The kinds of entries about surveys, with their names in the filter. */
export const SURVEY_KINDS: () => Readonly<Partial<Record<SecurityEventKind, string>>> = perLanguage(() => ({
  survey_created: t('Survey created'),
  survey_edited: t('Draft edited'),
  survey_published: t('Version published'),
  survey_renamed: t('Survey renamed'),
  preview_shared: t('Preview link created'),
  preview_unshared: t('Preview link revoked'),
  survey_commented: t('Survey commented'),
  review_requested: t('Review requested'),
  review_approved: t('Draft approved'),
  review_returned: t('Draft sent back'),
  survey_opened: t('Survey opened'),
  survey_closed: t('Survey closed'),
  settings_changed: t('Settings changed'),
  survey_weakened: t('Protection reduced'),
  theme_changed: t('Theme changed'),
  survey_shared: t('Shared with a group'),
  survey_unshared: t('No longer shared with a group'),
  colleague_invited: t('Colleague invited'),
  colleague_invitation_closed: t('Invitation declined or withdrawn'),
  roles_changed: t('Roles changed'),
  survey_restored: t('Survey restored'),
  survey_handed_over: t('Survey handed over'),
  emails_sent: t('Invitations sent'),
  responses_corrected: t('Responses edited'),
  responses_deleted: t('Responses deleted'),
  responses_restored: t('Responses restored'),
  responses_erased: t('Responses erased'),
  responses_imported: t('Responses imported'),
  exported: t('Data exported'),
  report_created: t('Report created'),
  report_deleted: t('Report deleted'),
}))

/** The kinds of entries about accounts, with their names in the filter. */
export const ACCOUNT_KINDS: () => Readonly<Partial<Record<SecurityEventKind, string>>> = perLanguage(() => ({
  survey_deleted: t('Survey deleted'),
  survey_erased: t('Survey erased'),
  signed_in: t('Signed in'),
  sign_in_failed: t('Sign-in failed'),
  locked_out: t('Sign-in blocked'),
  password_changed: t('Password changed'),
  email_changed: t('Email address changed'),
  second_factor_enabled: t('Second factor turned on'),
  second_factor_disabled: t('Second factor turned off'),
  passkey_added: t('Passkey added'),
  passkey_removed: t('Passkey removed'),
  recovery_code_used: t('Recovery code used'),
  api_key_created: t('API key created'),
  api_key_revoked: t('API key revoked'),
  application_authorized: t('Application allowed'),
  application_revoked: t('Application revoked'),
  contact_erased: t('Contact erased'),
  account_disabled: t('Account disabled'),
  account_enabled: t('Account enabled'),
  administrator_granted: t('Administration opened'),
  administrator_revoked: t('Administration closed'),
  password_link_made: t('Password link made'),
  plan_changed: t('Plan changed'),
}))

/** The kinds of entries about what administrators did, with their names in the filter. */
export const ADMINISTRATION_KINDS: () => Readonly<Partial<Record<SecurityEventKind, string>>> = perLanguage(() => ({
  account_created: t('User created'),
  account_disabled: t('User disabled'),
  account_enabled: t('User enabled'),
  account_deleted: t('User erased'),
  administrator_granted: t('Administrator added'),
  administrator_revoked: t('Administrator removed'),
  password_link_made: t('Password link made'),
  plan_changed: t('Plan changed'),
  second_factor_removed: t('Second factor removed'),
  mail_tested: t('Test message sent'),
  emails_sent_again: t('Emails sent again'),
  job_retried: t('Job tried again'),
  backup_started: t('Backup started'),
  survey_handed_over: t('Survey handed over'),
  survey_deleted: t('Survey deleted'),
  survey_erased: t('Survey erased'),
}))

/** Returns the name of a person in the log; the number of an account that no longer exists or is hidden. */
export function personName(id: unknown, { accounts }: Pick<SecurityLogNames, 'accounts'>, reader: number): string {
  return id === reader ? t('You') : accounts.get(id as number) || t('account {by}', { by: String(id) })
}

/** Renders entries of the log. The owner of a survey does not see from which networks others work. */
export const entriesView = (
  { entries, names }: Activity,
  reader: number,
  { showsNetwork }: { showsNetwork: boolean },
): Html =>
  html`<ul class="rows">
    ${entries.map((entry) => {
      const { by, at, network } = entry
      return html`<li>
        <div>
          <strong>${titleOf(entry, linksOf(entry, names, reader))}</strong>
          <p class="soft">
            ${by !== null && html`${personName(by, names, reader)}, `}${timeTag(at)}${
              showsNetwork && network && html`, from ${network}`
            }
          </p>
        </div>
      </li>`
    })}
  </ul>`

/**
 * The names of the accounts and objects in a log entry, some of them as links. If a name is unknown, the ID is shown.
 */
interface EntryLinks {
  from: Part
  to: Part
  member: Part
  application: Part
  group: Part
  key: Part
  survey: Part
}

function linksOf({ details }: SecurityEntry, names: SecurityLogNames, reader: number): EntryLinks {
  const link = (id: unknown, known: ReadonlyMap<number, string>, path: string): Part => {
    const name = known.get(id as number)
    return name === undefined ? String(id) : html`<a href="${path}">${name}</a>`
  }
  const { from, to, member, application, group, key, survey } = details
  const person = (id: unknown): string => (id === reader ? t('you') : personName(id, names, reader))
  return {
    from: person(from),
    to: person(to),
    member: person(member),
    application: link(application, names.applications, '/account/#connected'),
    group: link(group, names.groups, `${GROUPS_PATH}${group}/`),
    key: link(key, names.keys, '/account/keys/'),
    survey: link(survey, names.surveys, surveyRoot(survey as number)),
  }
}

function titleOf(
  { kind, details }: SecurityEntry,
  { from, to, member, application, group, key, survey }: EntryLinks,
): Part {
  switch (kind) {
    case 'signed_in':
      if (details.by === 'provider') return t('Signed in with the provider {provider}', { provider: details.provider })
      if (details.by === 'passkey') return t('Signed in with a passkey')
      return details.by === 'link' ? t('Signed in with a login link') : t('Signed in')
    case 'sign_in_failed':
      return details.by === 'passkey' ? t('Sign-in failed: passkey refused') : t('Sign-in failed: wrong password')
    case 'locked_out':
      return t('Sign-in blocked after too many wrong passwords')
    case 'password_changed':
      return t('Password changed')
    case 'email_changed':
      return t('Email address changed')
    case 'second_factor_enabled':
      return t('Second factor turned on')
    case 'second_factor_disabled':
      return t('Second factor turned off')
    case 'second_factor_app_removed':
      return t('App for codes removed')
    case 'passkey_added':
      return t('Passkey added')
    case 'passkey_removed':
      return t('Passkey removed')
    case 'recovery_code_used':
      return t('Recovery code used')
    case 'identity_connected':
      return t('Sign-in with the provider {provider} connected', { provider: details.provider })
    case 'identity_disconnected':
      return t('Sign-in with a provider disconnected')
    case 'provider_signed_out':
      return t('Signed out by the provider {provider}', { provider: details.provider })
    case 'api_key_created':
      return html`API key ${key} created`
    case 'api_key_revoked':
      return html`API key ${key} revoked`
    case 'application_authorized':
      return html`
        Application ${application} allowed to
        ${formatList((details.scopes as Scope[]).map((scope) => SCOPE_LABELS()[scope]))}`
    case 'application_limited':
      return html`Application ${application} limited to read-only`
    case 'application_revoked':
      return details.application === 0
        ? t('Access of all applications revoked')
        : html`Access of application ${application} revoked`
    case 'colleague_invited':
      return details.survey
        ? html`A colleague was invited to survey ${survey}: ${roleNames(details)}`
        : html`A colleague was invited to group ${group}: ${roleNames(details)}`
    case 'colleague_invitation_closed':
      return details.as === 'declined'
        ? t('Invitation of a colleague declined')
        : t('Invitation of a colleague withdrawn')
    case 'roles_changed':
      if (details.survey)
        return details.removed
          ? html`${member} removed from survey ${survey}`
          : html`Roles of ${member} on survey ${survey} set to: ${roleNames(details)}`
      return details.removed
        ? html`${member} removed from group ${group}`
        : html`Roles of ${member} in group ${group} set to: ${roleNames(details)}`
    case 'contact_erased':
      return t('Contact {contact} erased', { contact: details.contact })
    case 'exported':
      return details.survey
        ? html`Responses of survey ${survey} exported`
        : details.what === 'account'
          ? t('Account exported')
          : t('Contacts exported')
    case 'responses_deleted':
      return html`${pluralize(details.count as number, 'response')} of survey ${survey} deleted`
    case 'survey_handed_over':
      return html`Survey ${survey} handed over by ${from} to ${to}`
    case 'survey_weakened':
      return html`
        Protection of survey ${survey} reduced:
        ${formatList((details.settings as string[]).map((name) => PROTECTIONS()[name] ?? name))}`
    case 'account_deleted':
      return details.account ? t('Account {account} erased', { account: details.account }) : t('Account deleted')
    case 'account_created':
      return html`Account of ${member} created`
    case 'account_disabled':
      return html`Account of ${member} disabled`
    case 'account_enabled':
      return html`Account of ${member} enabled`
    case 'administrator_granted':
      return html`Administration opened to ${member}`
    case 'administrator_revoked':
      return html`Administration closed to ${member}`
    case 'password_link_made':
      return html`Link for a new password made for ${member}`
    case 'plan_changed':
      return html`Plan of ${member} set to ${String(details.plan)}`
    case 'mail_tested':
      return t('Test message sent')
    case 'emails_sent_again':
      return html`${pluralize(details.count as number, 'message')} of email ${details.email as number} queued again`
    case 'job_retried':
      return t('Failed job tried again: {job}', { job: details.job })
    case 'backup_started':
      return t('Backup started')
    case 'second_factor_removed':
      return html`Second factor of ${member} removed`
    case 'survey_created':
      return html`Survey ${survey} created`
    case 'survey_renamed':
      return html`Survey ${survey} renamed`
    case 'survey_edited':
      return html`Draft of survey ${survey} edited`
    case 'survey_published':
      return html`Version ${details.version as number} of survey ${survey} published`
    case 'preview_shared':
      return html`Preview link to survey ${survey} created`
    case 'preview_unshared':
      return html`Preview link to survey ${survey} revoked`
    case 'survey_commented':
      return details.link ? html`Comment on survey ${survey} through a preview link` : html`Comment on survey ${survey}`
    case 'review_requested':
      return html`Review of survey ${survey} requested`
    case 'review_approved':
      return html`Draft of survey ${survey} approved`
    case 'review_returned':
      return html`Draft of survey ${survey} sent back`
    case 'survey_opened':
      return html`Survey ${survey} opened`
    case 'survey_closed':
      return html`Survey ${survey} closed`
    case 'survey_deleted':
      return t('Survey “{name}” deleted', { name: String(details.name ?? details.survey) })
    case 'survey_restored':
      return html`Survey ${survey} restored`
    case 'survey_erased':
      return t('Survey “{name}” erased', { name: String(details.name ?? details.survey) })
    case 'survey_shared':
      return html`Survey ${survey} shared with group ${group}`
    case 'survey_unshared':
      return html`Survey ${survey} no longer shared with group ${group}`
    case 'settings_changed':
      return html`Settings of survey ${survey} changed: ${formatList((details.settings as string[]).map(settingLabel))}`
    case 'theme_changed':
      return html`Theme of survey ${survey} changed`
    case 'emails_sent':
      return html`Invitations to survey ${survey} sent: ${pluralize(details.count as number, 'recipient')}`
    case 'report_created':
      return html`Report on survey ${survey} created`
    case 'report_deleted':
      return html`Report on survey ${survey} deleted`
    case 'responses_corrected':
      return html`Responses to survey ${survey} edited`
    case 'responses_restored':
      return html`Response to survey ${survey} restored`
    case 'responses_erased':
      return html`${pluralize(details.count as number, 'deleted response')} to survey ${survey} erased for good`
    case 'responses_imported':
      return html`${pluralize(details.count as number, 'response')} imported into survey ${survey}`
  }
}

/** Returns the label of a setting in the form of the settings. */
const settingLabel = (name: string): string =>
  settingGroups()
    .flatMap(({ fields }) => fields)
    .find((field) => name.startsWith(field.name))?.label ?? name

const roleNames = (details: SecurityEntry['details']): string =>
  shownRoles(details.roles as Role[])
    .map((role) => ROLE_LABELS()[role])
    .join(', ') || t('none')
