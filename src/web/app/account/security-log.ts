import { findSecurityLogNames, type SecurityLogNames } from '../../../domain/account-data/security-log-names.ts'
import type { Role } from '../../../domain/group/group.ts'
import type { Scope } from '../../../domain/oauth/scope.ts'
import { listSecurityEvents, SECURITY_LOG_DAYS, type SecurityEntry } from '../../../domain/security/queries.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { formatList } from '../../i18n/i18n.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { backLink, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { SCOPE_LABELS } from '../authorize.ts'
import { GROUPS_PATH } from '../groups.ts'
import { ROLE_LABELS, shownRoles } from '../people/views.ts'
import { surveyRoot } from '../surveys/survey-page.ts'

const HERE = '/account/security/'
const PAGE_ENTRIES = 50

/**
 * Maps each setting to the text that a log entry contains if a change of this setting reduced the protection of a
 * survey. `shared reports` means that a password was set with which people who have no account can open the reports.
 */
const PROTECTIONS: () => Readonly<Record<string, string>> = perLanguage(() => ({
  password: t('password removed'),
  anonymous: t('anonymity turned off'),
  invite_only: t('invitations no longer required'),
  one_per_invite: t('several responses per invitation allowed'),
  custom_authentication: t('sign-in turned off or identity provider changed'),
  'shared reports': t('reports shared, or the password of the shared reports changed'),
}))

/** Renders the section of the account page that links to the log. */
export const securitySection = (): Html =>
  html`<section class="card" aria-labelledby="security">
    <h2 id="security">Security log</h2>
    <p class="soft">
      The log lists sign-ins, exports, and changes to passwords, keys and access in the last ${SECURITY_LOG_DAYS} days.
    </p>
    <p class="below"><a class="button plain" href="${HERE}">View security log</a></p>
  </section>`

/** Lists the security events of the account, newest first. */
export async function showSecurityLog(request: SignedInRequest): Promise<PageResult> {
  const { context, query } = request
  const page = pageOf({ page: Number(query.get('page') ?? 1), first: 1, default: PAGE_ENTRIES, max: PAGE_ENTRIES })
  const { total, entries } = await listSecurityEvents(context, page)
  const names = await findSecurityLogNames(context, entries)
  return request.render({
    title: t('Security log'),
    beforeHeading: backLink('/account/', t('Account')),
    content: html`
      <section class="card">
        <p class="soft">
          Entries are deleted after ${SECURITY_LOG_DAYS} days. They contain only the network part of the IP address. If
          you do not recognise an entry, change your password and revoke your <a href="/account/keys/">API keys</a>.
        </p>
        ${
          entries.length === 0
            ? html`<p>No events yet.</p>`
            : html`<ul class="rows">
              ${entries.map(
                (entry) =>
                  html`<li>
                    <div>
                      <strong>${titleOf(entry, linksOf(entry, names, context.actor.id))}</strong>
                      <p class="soft">${timeTag(entry.at)}${entry.network && html`, from ${entry.network}`}</p>
                    </div>
                  </li>`,
              )}
            </ul>`
        }
      </section>
      ${pager({ number: page.number, total, size: PAGE_ENTRIES, path: (number) => pathWith(HERE, { page: number }) })}`,
  })
}

/**
 * The names of the accounts and objects in a log entry, some of them as links. If a name is unknown, the ID is shown.
 */
interface EntryLinks {
  from: Part
  to: Part
  by: Part
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
  const { from, to, by, member, application, group, key, survey } = details
  const person = (id: unknown): string =>
    id === reader ? t('you') : (names.accounts.get(id as number) ?? t('account {by}', { by: String(id) }))
  return {
    from: person(from),
    to: person(to),
    by: person(by),
    member: names.accounts.get(member as number) ?? String(member),
    application: link(application, names.applications, '/account/#connected'),
    group: link(group, names.groups, `${GROUPS_PATH}${group}/`),
    key: link(key, names.keys, '/account/keys/'),
    survey: link(survey, names.surveys, surveyRoot(survey as number)),
  }
}

function titleOf(
  { kind, details }: SecurityEntry,
  { from, to, by, member, application, group, key, survey }: EntryLinks,
): Part {
  switch (kind) {
    case 'signed_in':
      if (details.by === 'provider') return t('Signed in with the provider {provider}', { provider: details.provider })
      return details.by === 'link' ? t('Signed in with a login link') : t('Signed in')
    case 'sign_in_failed':
      return t('Sign-in failed: wrong password')
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
    case 'recovery_code_used':
      return t('Recovery code used')
    case 'identity_connected':
      return t('Sign-in with the provider {provider} connected', { provider: details.provider })
    case 'identity_disconnected':
      return t('Sign-in with a provider disconnected')
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
          ? html`Account ${member} removed from survey ${survey}`
          : html`Roles of account ${member} on survey ${survey} set to: ${roleNames(details)}`
      return details.removed
        ? html`Account ${member} removed from group ${group}`
        : html`Roles of account ${member} in group ${group} set to: ${roleNames(details)}`
    case 'contact_erased':
      return t('Contact {contact} erased', { contact: details.contact })
    case 'exported':
      return details.survey
        ? html`Responses of survey ${survey} exported by ${by}`
        : details.what === 'account'
          ? t('Account exported')
          : t('Contacts exported')
    case 'responses_deleted':
      return html`${details.count as number} responses of survey ${survey} deleted by ${by}`
    case 'survey_handed_over':
      return html`Survey ${survey} handed over by ${from} to ${to}`
    case 'survey_weakened':
      return html`
        Protection of survey ${survey} reduced by ${by}:
        ${formatList((details.settings as string[]).map((name) => PROTECTIONS()[name] ?? name))}`
    case 'account_deleted':
      return t('Account deleted')
  }
}

const roleNames = (details: SecurityEntry['details']): string =>
  shownRoles(details.roles as Role[])
    .map((role) => ROLE_LABELS()[role])
    .join(', ') || t('none')
