import { listSecurityEvents, SECURITY_LOG_DAYS, type SecurityEntry } from '../../../domain/security/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
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
    title: 'Security log',
    beforeHeading: backLink('/account/', 'Account'),
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
  const by = details.by === reader ? 'you' : `account ${details.by}`
  const survey = `survey ${details.survey}`
  switch (kind) {
    case 'signed_in':
      return details.by === 'link' ? 'Signed in with a login link' : 'Signed in'
    case 'sign_in_failed':
      return 'Sign-in failed: wrong password'
    case 'locked_out':
      return 'Sign-in blocked after too many wrong passwords'
    case 'password_changed':
      return 'Password changed'
    case 'email_changed':
      return 'Email address changed'
    case 'api_key_created':
      return `API key ${details.key} created`
    case 'api_key_revoked':
      return `API key ${details.key} revoked`
    case 'application_authorized':
      return `Application ${details.application} allowed to ${(details.scopes as string[]).join(' and ')}`
    case 'application_limited':
      return `Application ${details.application} limited to read-only`
    case 'application_revoked':
      return `Access of ${details.application === 0 ? 'all applications' : `application ${details.application}`} revoked`
    case 'roles_changed':
      return details.removed
        ? `Account ${details.member} removed from group ${details.group}`
        : `Roles of account ${details.member} in group ${details.group}: ${(details.roles as string[]).join(', ') || 'none'}`
    case 'contact_erased':
      return `Contact ${details.contact} erased`
    case 'exported':
      return details.survey
        ? `Responses of ${survey} exported by ${by}`
        : details.what === 'account'
          ? 'Account exported'
          : 'Contacts exported'
    case 'survey_weakened':
      return `Protection of ${survey} reduced by ${by}: ${(details.settings as string[]).join(', ')}`
    case 'account_deleted':
      return 'Account deleted'
  }
}
