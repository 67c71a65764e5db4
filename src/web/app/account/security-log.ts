import { listSecurityEvents, SECURITY_LOG_DAYS, type SecurityEntry } from '../../../domain/security/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pager, pathWith } from '../../layout/pager.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

const HERE = '/account/security/'
const PAGE_ENTRIES = 50

/** Renders the section of the account page that links to the log. */
export const securitySection = (): Html =>
  html`<section class="card" aria-labelledby="security"><h2 id="security">Security log</h2><p class="soft">Sign-ins, exports, and changes to passwords, keys and access in the last ${SECURITY_LOG_DAYS} days.</p>
<div class="actions"><a class="button" href="${HERE}">View security log</a></div></section>`

/** Lists the security events of the account, newest first. */
export async function showSecurityLog(request: SignedInRequest): Promise<PageResult> {
  const { context, query } = request
  const page = pageOf({ page: Number(query.get('page') ?? 1), first: 1, default: PAGE_ENTRIES, max: PAGE_ENTRIES })
  const { total, entries } = await listSecurityEvents(context, page)
  return request.render({
    title: t('Security log'),
    beforeHeading: backLink('/account/', t('Account')),
    content: html`<section class="card"><p class="soft">Entries are deleted after ${SECURITY_LOG_DAYS} days. They contain only the network part of the IP address. If you do not recognise an entry, change your password and revoke your <a href="/account/keys/">API keys</a>.</p>
${
  entries.length === 0
    ? html`<p>No events yet.</p>`
    : html`<ul class="rows">${entries.map(
        (entry) =>
          html`<li><div><strong>${titleOf(entry, context.actor.id)}</strong><p class="soft">${timeTag(entry.at)}${entry.network && html`, from ${entry.network}`}</p></div></li>`,
      )}</ul>`
}
</section>${pager({ number: page.number, total, size: PAGE_ENTRIES, path: (number) => pathWith(HERE, { page: number }) })}`,
  })
}

function titleOf({ kind, details }: SecurityEntry, reader: number): string {
  const by = details.by === reader ? t('you') : t('account {by}', { by: details.by })
  const survey = t('survey {survey}', { survey: details.survey })
  switch (kind) {
    case 'signed_in':
      return details.by === 'link' ? t('Signed in with a login link') : t('Signed in')
    case 'sign_in_failed':
      return t('Sign-in failed: wrong password')
    case 'locked_out':
      return t('Sign-in blocked after too many wrong passwords')
    case 'password_changed':
      return t('Password changed')
    case 'email_changed':
      return t('Email address changed')
    case 'api_key_created':
      return t('API key {key} created', { key: details.key })
    case 'api_key_revoked':
      return t('API key {key} revoked', { key: details.key })
    case 'application_authorized':
      return t('Application {application} allowed to {value}', {
        application: details.application,
        value: (details.scopes as string[]).join(' and '),
      })
    case 'application_limited':
      return t('Application {application} limited to read-only', { application: details.application })
    case 'application_revoked':
      return t('Access of {value} revoked', {
        value:
          details.application === 0
            ? t('all applications')
            : t('application {application}', { application: details.application }),
      })
    case 'roles_changed':
      return details.removed
        ? t('Account {member} removed from group {group}', { member: details.member, group: details.group })
        : t('Roles of account {member} in group {group}: {value}', {
            member: details.member,
            group: details.group,
            value: (details.roles as string[]).join(', ') || t('none'),
          })
    case 'contact_erased':
      return t('Contact {contact} erased', { contact: details.contact })
    case 'exported':
      return details.survey
        ? t('Responses of {survey} exported by {by}', { survey, by })
        : details.what === 'account'
          ? t('Account exported')
          : t('Contacts exported')
    case 'survey_weakened':
      return t('Protection of {survey} reduced by {by}: {value}', {
        survey,
        by,
        value: (details.settings as string[]).join(', '),
      })
    case 'account_deleted':
      return t('Account deleted')
  }
}
