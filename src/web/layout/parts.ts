import { type Html, html, type Part, trusted } from '../../lib/html.ts'
import { pageLanguage } from '../i18n/page-locale.ts'

/** Renders the link to the parent page, above the heading. */
export const backLink = (path: string, label: string): Html =>
  html`<p class="back-link"><a href="${path}">${label}</a></p>`

/**
 * Renders the content of a page whose list has no entries yet: the purpose of the list, and a link to the form that
 * creates the first entry.
 */
export const emptyState = (name: IconName, title: string, text: Part, action: { path: string; label: string }): Html =>
  html`<section class="card empty">
    ${icon(name)}
    <h2>${title}</h2>
    <p class="soft">${text}</p>
    <p class="below"><a class="button primary" href="${action.path}">${icon('plus')}${action.label}</a></p>
  </section>`

/** Renders a message that a survey page shows instead of questions. It has a title and paragraphs. */
export const message = (title: Part, ...paragraphs: Part[]): Html =>
  html`<section class="message"><h2>${title}</h2>${paragraphs.map((text) => text && html`<p>${text}</p>`)}</section>`

/** A link of a list of pages. */
interface PageLink {
  label: string
  path: string
  isCurrent: boolean
}

/**
 * Renders a list of pages beside the content. On phones, a button opens the list.
 * @param isWhole whether the page that is shown is the current page of the list, not a page below it
 */
export function sideMenu(label: string, links: readonly PageLink[], isWhole: boolean): Html {
  const current = links.find(({ isCurrent }) => isCurrent)
  return html`<nav class="side" aria-label="${label}">
    <button class="small" popovertarget="side-pages">
      ${icon('menu')}<span class="hidden">${label}:</span> ${current?.label ?? label}
    </button>
    <ul id="side-pages" popover>
      ${links.map(
        ({ label, path, isCurrent }) =>
          html`<li>
            <a href="${path}"${isCurrent && html` aria-current="${isWhole ? 'page' : 'true'}"`}>${label}</a>
          </li>`,
      )}
    </ul>
  </nav>`
}

/**
 * Renders a button that opens a menu of links and forms.
 * @param label the name of the button for screen readers
 */
export const moreMenu = (label: string, items: Part): Html =>
  html`<details class="more" name="more">
    <summary class="button quiet small" title="${label}">${icon('more')}<span class="hidden">${label}</span></summary>
    <div class="more-actions">${items}</div>
  </details>`

/** A link of {@link segments} or {@link linkMenu}. */
export interface Segment {
  href: string
  text: string
  isCurrent: boolean
  lang?: string
}

const segmentLink = ({ href, text, isCurrent, lang }: Segment): Html =>
  html`<li>
    <a href="${href}"${lang && html` lang="${lang}" hreflang="${lang}"`}${isCurrent && html` aria-current="true"`}>
      ${text}
    </a>
  </li>`

/** Renders links of which one is current, as one control. At most five short texts. */
export const segments = (label: string, links: readonly Segment[]): Html =>
  html`<nav class="segments" aria-label="${label}"><ul>${links.map(segmentLink)}</ul></nav>`

/**
 * Renders a menu of links of which one may be current. Its button shows the current one.
 * @param more the end of the menu
 */
export function linkMenu(label: string, links: readonly Segment[], more: Part = null): Html {
  const current = links.find(({ isCurrent }) => isCurrent)
  return html`<details class="more link-menu" name="more">
    <summary class="button plain small">
      ${current ? html`<span class="hidden">${label}: </span>${current.text}` : label}
    </summary>
    <nav class="more-actions" aria-label="${label}"><ul>${links.map(segmentLink)}</ul>${more}</nav>
  </details>`
}

export type KeyFigure = readonly [label: string, value: Part, note: Part]

/** Renders figures as a strip of cards. A note of null is left out. */
export const keyFigures = (figures: readonly KeyFigure[]): Html =>
  html`<dl class="key-figures">
    ${figures.map(
      ([label, value, note]) =>
        html`<div class="card">
          <dt>${label}</dt>
          <dd>${value}</dd>
          ${note !== null && html`<dd class="soft">${note}</dd>`}
        </div>`,
    )}
  </dl>`

/** Renders links to the previous and next page of a list. Renders nothing if the list has only one page. */
export function pager({
  number,
  total,
  size,
  path,
}: {
  /** The number of the current page, counted from 1. */
  number: number
  total: number
  size: number
  path(number: number): string
}): Part {
  const last = Math.ceil(total / size)
  if (last < 2) return null
  return html`<nav aria-label="Pages" class="pager">
    ${number > 1 && html`<a href="${path(number - 1)}" rel="prev">Previous</a>`} <span class="soft">
      Page ${number.toLocaleString(pageLanguage())} of ${last.toLocaleString(pageLanguage())}
    </span> ${number < last && html`<a href="${path(number + 1)}" rel="next">Next</a>`}
  </nav>`
}

/** Returns a path with a query string. Leaves out undefined and empty values. */
export function pathWith(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') params.set(name, String(value))
  return params.size > 0 ? `${path}?${params}` : path
}

/** The drawings of the icons, in a square of 24 units. */
const DRAWINGS = {
  surveys: '<rect x="5" y="4" width="14" height="17" rx="2"/><path d="M9 4V2.5h6V4M9 10h6M9 14h6"/>',
  contacts: '<circle cx="12" cy="8" r="4"/><path d="M4 21c0-4 3.5-7 8-7s8 3 8 7"/>',
  groups:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2 20c0-3.5 3-6 7-6s7 2.5 7 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18.5 14.5c2.2.9 3.5 2.9 3.5 5.5"/>',
  webhooks: '<path d="M13 2 4 14h7l-1 8 9-12h-7z"/>',
  keys: '<circle cx="8" cy="15" r="4"/><path d="m11 12 9-9M16 7l3 3"/>',
  administration:
    '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>',
  account:
    '<circle cx="12" cy="12" r="9"/><circle cx="12" cy="10" r="3"/><path d="M6.5 19c1-2.5 3-4 5.5-4s4.5 1.5 5.5 4"/>',
  help: '<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 17v.01"/>',
  'sign-out': '<path d="M10 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4M15 8l4 4-4 4M19 12H9"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  overview: '<path d="M4 16a8 8 0 0 1 16 0M12 16l4-4"/>',
  edit: '<path d="m4 20 1-4L16 5l3 3L8 19zM14 7l3 3"/>',
  responses: '<path d="M4 6h16M4 12h16M4 18h10"/>',
  reports: '<path d="M5 20v-7M12 20V4M19 20v-11"/>',
  fieldwork: '<circle cx="12" cy="12" r="9"/><circle cx="12" cy="12" r="5"/><path d="M12 12v.01"/>',
  invitations: '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 7 9 6 9-6"/>',
  share: '<circle cx="9" cy="8" r="4"/><path d="M2 21c0-4 3-7 7-7 1.5 0 2.9.4 4 1.1M18 13v8M14 17h8"/>',
  collectors:
    '<circle cx="5" cy="12" r="2.5"/><circle cx="19" cy="5" r="2.5"/><circle cx="19" cy="19" r="2.5"/><path d="m7.2 10.8 9.6-4.7M7.2 13.2l9.6 4.7"/>',
  more: '<path stroke-width="2.5" d="M5 12v.01M12 12v.01M19 12v.01"/>',
  up: '<path d="M12 19V5M6 11l6-6 6 6"/>',
  down: '<path d="M12 5v14M6 13l6 6 6-6"/>',
  remove: '<path d="M6 6l12 12M18 6 6 18"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  view: '<path d="M14 4h6v6M20 4l-9 9M18 14v5H5V6h5"/>',
  copy: '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15H4V4h11v1"/>',
  delete: '<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5"/>',
  tag: '<path d="M4 4h8l8 8-8 8-8-8zM8.5 8.5v.01"/>',
  download: '<path d="M12 4v11M7 10l5 5 5-5M4 20h16"/>',
} as const

/** The name of an icon. */
type IconName = keyof typeof DRAWINGS

/** Renders an icon beside a label. Screen readers skip it. */
export const icon = (name: IconName): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">${trusted(DRAWINGS[name])}</svg>`
