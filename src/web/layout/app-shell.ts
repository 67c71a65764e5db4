import { type Html, html, type Part } from '../../lib/html.ts'
import type { AssetName } from '../assets.ts'
import { documentOf } from './document.ts'

/** The parts of the navigation; a page names the one that it belongs to. */
const sections = [
  { name: 'surveys', label: 'Surveys', own: 'surveys', path: '/account/surveys/' },
  { name: 'contacts', label: 'Contacts', own: 'contacts', path: '/account/contacts/' },
  { name: 'groups', label: 'Groups', own: 'groups', path: '/account/groups/' },
  { name: 'webhooks', label: 'Webhooks', own: 'webhooks', path: '/account/webhooks/' },
  { name: 'keys', label: 'API keys', own: 'API keys', path: '/account/keys/' },
  { name: 'account', label: 'Account', own: 'account', path: '/account/' },
] as const
export type Section = (typeof sections)[number]['name']

/** The section that an address lies in; the account's own for what is in none. */
export const sectionAt = (path: string): (typeof sections)[number] =>
  sections.find((section) => path.startsWith(section.path)) ?? sections.at(-1)!

export const sectionOf = (wanted: Section): (typeof sections)[number] => sections.find(({ name }) => name === wanted)!

export interface Shell {
  /** Shown as the heading and in the window's title. */
  title: string
  section: Section
  /** Proves that a form came from this session's pages. */
  csrf: string
  /** What was just done, told once. */
  notice?: string | undefined
  /** Beside the heading: mostly a link to make something new. */
  action?: Part
  /** Above the heading: where the page belongs. */
  above?: Part
  scripts?: readonly AssetName[]
  content: Part
}

/** The hidden field that every form of a signed-in page carries. */
export const csrfField = (csrf: string): Html => html`<input type="hidden" name="_csrf" value="${csrf}">`

/** A page of somebody who is signed in. */
export const shellPage = ({ title, section, csrf, notice, action, above, scripts, content }: Shell): Html =>
  documentOf({
    language: 'en',
    direction: 'ltr',
    title: `${title} – Canvass`,
    desk: true,
    scripts,
    body: html`<a class="skip" href="#main">Go to the content</a>
<header class="bar"><a class="brand" href="/account/surveys/">Canvass</a>
<nav aria-label="Main"><ul>${sections.map(
      ({ name, label, path }) =>
        html`<li><a href="${path}"${name === section && html` aria-current="page"`}>${label}</a></li>`,
    )}</ul></nav>
<form method="post" action="/accounts/logout/">${csrfField(csrf)}<button class="quiet small">Sign out</button></form></header>
<main id="main" tabindex="-1">${notice && html`<p class="notice" role="status">${notice}</p>`}${above}<div class="head"><h1>${title}</h1>${action}</div>
${content}</main>`,
  })

/** A page for those who are not signed in: one card. */
export const authPage = (title: string, content: Part): Html =>
  documentOf({
    language: 'en',
    direction: 'ltr',
    title: `${title} – Canvass`,
    desk: true,
    body: html`<main id="main" class="door"><p class="brand">Canvass</p><div class="card"><h1>${title}</h1>${content}</div></main>`,
  })
