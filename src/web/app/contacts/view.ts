import { bouncesAmong } from '../../../domain/contact/bounced-address.ts'
import type { ContactSummary } from '../../../domain/contact/queries.ts'
import type { Context } from '../../../domain/context.ts'
import { type Html, html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'

export const CONTACTS_PATH = '/account/contacts/'
export const PAGE_SIZE = 50

/** Renders the tabs of the address book. */
export const tabsView = (current: 'contacts' | 'lists' | 'import'): Html =>
  html`<nav class="subtabs" aria-label="Address book"><ul>${(
    [
      ['contacts', t('Contacts'), CONTACTS_PATH],
      ['lists', t('Lists'), `${CONTACTS_PATH}lists/`],
      ['import', t('Import and export'), `${CONTACTS_PATH}import/`],
    ] as const
  ).map(
    ([name, label, path]) =>
      html`<li><a href="${path}"${name === current && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`

/** Renders contacts of the actor, each with a checkbox named `contact`. */
export async function contactCheckboxes(context: Context, contacts: readonly ContactSummary[]): Promise<Html> {
  const emails = contacts.map(({ email }) => email)
  const bounces = await bouncesAmong(context, context.actor.id, emails)
  return html`<ul class="rows tight">${contacts.map(
    ({ id, name, email, unsubscribed, custom }) =>
      html`<li><div class="person"><input type="checkbox" name="contact" value="${id}" aria-label="Select ${name}, ${email}"><div class="grow"><a href="${CONTACTS_PATH}${id}/">${name}</a> <span class="soft">${email !== name && email}</span>${unsubscribed && html` <span class="tag">Unsubscribed</span>`}${bounces.has(email.toLowerCase()) && html` <span class="tag missing">Undeliverable</span>`}${customSummary(custom)}</div></div></li>`,
  )}</ul>`
}

/** Renders the first custom fields of a contact. */
function customSummary(custom: ContactSummary['custom']): Html | false {
  const shown = Object.entries(custom).slice(0, 4)
  return (
    shown.length > 0 &&
    html`<p class="soft small-text">${shown.map(([name, value]) => `${name}: ${value.slice(0, 60)}`).join(' · ')}</p>`
  )
}

/** Renders the colour of a contact list. */
export const colorSwatch = (color: string): Html =>
  html`<svg class="swatch" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><circle cx="7" cy="7" r="6.5" fill="${color}"/></svg>`
