import { type Connected, disconnect, limitToRead } from '../../domain/oauth/connected.ts'
import { type Html, html } from '../../lib/html.ts'
import { short } from '../consent/words.ts'
import { csrfField } from '../shell.ts'
import { idIn, type SignedIn } from '../signed-in.ts'
import type { Answer } from '../visit.ts'

const day = (date: Date) => html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 10)}</time>`

function connectedView({ applicationId, name, homepage, scopes, since, lastUsed }: Connected, csrf: string): Html {
  const action = (path: string) => `/account/applications/${applicationId}/${path}/`
  return html`<li><div><strong>${name}</strong>${scopes.map((scope) => html` <span class="tag">${short[scope]}</span>`)}<p class="soft">${new URL(homepage).host}, since ${day(since)}, ${lastUsed ? html`last used ${day(lastUsed)}` : 'not used yet'}</p></div>
<div class="does">${
    scopes.length > 1 &&
    html`<form method="post" action="${action('limit')}">${csrfField(csrf)}<button class="small" aria-label="Only let it see: ${name}">Only let it see</button></form>`
  }<form method="post" action="${action('revoke')}">${csrfField(csrf)}<button class="small" aria-label="Revoke the access of ${name}">Revoke</button></form></div></li>`
}

/** The applications that somebody lets in, as a part of the account page. */
export function connectedSection(connected: readonly Connected[], csrf: string): Html {
  return html`<section class="card" aria-labelledby="connected"><h2 id="connected">Connected applications</h2>${
    connected.length === 0
      ? html`<p class="soft">You let no application in. Each asks you first, on a page of ours.</p>`
      : html`<ul class="rows">${connected.map((one) => connectedView(one, csrf))}</ul>`
  }</section>`
}

export async function revokeApplication(visit: SignedIn): Promise<Answer> {
  await visit.write((context) => disconnect(context, idIn(visit.params.id)))
  visit.tell('The application is out.')
  return { redirect: '/account/' }
}

export async function limitApplication(visit: SignedIn): Promise<Answer> {
  await visit.write((context) => limitToRead(context, idIn(visit.params.id)))
  visit.tell('From now on it can only see.')
  return { redirect: '/account/' }
}
