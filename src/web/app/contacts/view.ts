import type { ContactSummary } from '../../../domain/contact/queries.ts'
import { type Html, html } from '../../../lib/html.ts'

export const BOOK = '/account/contacts/'
/** Contacts on a page. */
export const SIZE = 50

/** The parts of the address book. */
export const partsView = (current: 'contacts' | 'lists' | 'import'): Html =>
  html`<nav class="kinds" aria-label="Address book"><ul>${(
    [
      ['contacts', 'Contacts', BOOK],
      ['lists', 'Lists', `${BOOK}lists/`],
      ['import', 'Import and export', `${BOOK}import/`],
    ] as const
  ).map(
    ([name, label, path]) =>
      html`<li><a href="${path}"${name === current && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`

/** Contacts to choose some of, by the field `contact`. */
export const chooseView = (contacts: readonly ContactSummary[]): Html =>
  html`<ul class="rows tight">${contacts.map(
    ({ id, name, email, unsubscribed, custom }) =>
      html`<li><div class="person"><input type="checkbox" name="contact" value="${id}" aria-label="Select ${name}, ${email}"><div class="grow"><a href="${BOOK}${id}/">${name}</a> <span class="soft">${email !== name && email}</span>${unsubscribed && html` <span class="tag">Unsubscribed</span>`}${customView(custom)}</div></div></li>`,
  )}</ul>`

/** The first few custom fields. */
function customView(custom: ContactSummary['custom']): Html | false {
  const shown = Object.entries(custom).slice(0, 4)
  return (
    shown.length > 0 &&
    html`<p class="soft small-text">${shown.map(([name, value]) => `${name}: ${value.slice(0, 60)}`).join(' · ')}</p>`
  )
}

/** The colour of a list. */
export const swatch = (color: string): Html =>
  html`<svg class="swatch" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><circle cx="7" cy="7" r="6.5" fill="${color}"/></svg>`
