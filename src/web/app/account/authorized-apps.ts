import {
  type AuthorizedApp,
  listAuthorizedApps,
  restrictToRead,
  revokeAuthorizedApp,
} from '../../../domain/oauth/authorized-apps.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { SCOPE_LABELS } from '../authorize/scope-descriptions.ts'

const day = (date: Date) => html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 10)}</time>`

function connectedView({ applicationId, name, homepage, scopes, since, lastUsed }: AuthorizedApp, csrf: string): Html {
  const action = (path: string) => `/account/applications/${applicationId}/${path}/`
  return html`<li><div><strong>${name}</strong>${scopes.map((scope) => html` <span class="tag">${SCOPE_LABELS[scope]}</span>`)}<p class="soft">${new URL(homepage).host}, since ${day(since)}, ${lastUsed ? html`last used ${day(lastUsed)}` : 'not used yet'}</p></div>
<div class="does">${
    scopes.length > 1 &&
    html`<form method="post" action="${action('limit')}">${csrfField(csrf)}<button class="small" aria-label="Only let it see: ${name}">Only let it see</button></form>`
  }<a class="button plain small" href="${action('revoke')}" aria-label="Revoke the access of ${name}">Revoke…</a></div></li>`
}

/** The applications that somebody lets in, as a part of the account page. */
export function authorizedAppsSection(connected: readonly AuthorizedApp[], csrf: string): Html {
  return html`<section class="card" aria-labelledby="connected"><h2 id="connected">Connected applications</h2>${
    connected.length === 0
      ? html`<p class="soft">You let no application in. Each asks you first, on a page of ours.</p>`
      : html`<ul class="rows">${connected.map((one) => connectedView(one, csrf))}</ul>`
  }</section>`
}

/** Asks before it is put out. @throws {Problem} `application_not_found` */
export async function confirmRevokeApplication(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.id)
  const found = (await listAuthorizedApps(request.context)).find(({ applicationId }) => applicationId === id)
  if (!found) throw problems.applicationNotFound()
  return confirmPage(request, {
    title: `Revoke the access of “${found.name}”?`,
    text: 'It can no longer act for you, from now on and with whatever it has. To let it in again you have to go there and agree once more.',
    button: 'Revoke its access',
    cancel: { label: 'Keep it', path: '/account/' },
  })
}

export async function revokeApplication(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => revokeAuthorizedApp(context, parseId(request.params.id)))
  request.flash('The application is out.')
  return { redirect: '/account/' }
}

export async function limitApplication(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => restrictToRead(context, parseId(request.params.id)))
  request.flash('From now on it can only see.')
  return { redirect: '/account/' }
}
