import { Readable } from 'node:stream'
import { bouncesAmong } from '../../../domain/contact/bounced-address.ts'
import { exportContacts } from '../../../domain/contact/export.ts'
import { listLists } from '../../../domain/contact/lists.ts'
import { type ContactSummary, listContacts } from '../../../domain/contact/queries.ts'
import type { Context } from '../../../domain/context.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { emptyState, icon, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

const MAX_LISTS = 200

/** Lists all contacts of the address book, or the contacts that match a search. */
export async function showContacts(request: SignedInRequest): Promise<PageResult> {
  const { context, query, csrf } = request
  const search = query.get('search')?.trim() ?? ''
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, contacts } = await listContacts(context, { search }, page)
  const { lists } = await listLists(context, { offset: 0, limit: MAX_LISTS })
  const pathOfPage = (number: number) => pathWith(CONTACTS_PATH, { search, page: number })
  return request.render({
    title: t('Contacts'),
    action:
      (total > 0 || search !== '') &&
      html`<a class="button" href="${CONTACTS_PATH}new/">${icon('plus')}Add contact</a>`,
    content: html`
      ${tabsView('contacts')}
      ${
        total === 0 && !search
          ? emptyState(
              'contacts',
              t('Your address book is empty'),
              html`
                Add a contact, <a href="${CONTACTS_PATH}import/">import a file</a>, or enter email addresses when you
                send an invitation.`,
              { path: `${CONTACTS_PATH}new/`, label: t('Add contact') },
            )
          : html`
            <form method="get" action="${CONTACTS_PATH}" role="search" class="search">
              <label for="search" class="hidden">Search contacts</label>
              <input class="box" id="search" name="search" type="search" value="${search}"
                  placeholder="Name, email or field">
              <button>Search</button>
            </form>
            <p class="soft" role="status">
              ${total === 0 ? t('No contacts match your search.') : pluralize(total, 'contact')}
            </p>
            ${
              contacts.length > 0 &&
              html`<form method="post" action="${CONTACTS_PATH}" class="card">
                ${csrfField(csrf)}
                <input type="hidden" name="back" value="${pathOfPage(page.number)}">
                ${await contactCheckboxes(context, contacts)}
                ${
                  lists.length > 0 &&
                  html`<div class="search">
                    <label for="list">Add selected to</label>
                    <select class="box" id="list" name="list">
                      ${lists.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
                    </select>
                    <button class="small">Add</button>
                  </div>`
                }
              </form>`
            }`
      }
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: pathOfPage })}`,
  })
}

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
  return html`<ul class="rows tight">
    ${contacts.map(
      ({ id, name, email, unsubscribed, custom }) =>
        html`<li>
          <div class="person">
            <input type="checkbox" name="contact" value="${id}" aria-label="Select ${name}, ${email}">
            <div class="grow">
              <a href="${CONTACTS_PATH}${id}/">${name}</a> <span class="soft">${email !== name && email}</span>
              ${unsubscribed && html` <span class="tag">Unsubscribed</span>`}
              ${bounces.has(email.toLowerCase()) && html` <span class="tag missing">Undeliverable</span>`}
              ${customSummary(custom)}
            </div>
          </div>
        </li>`,
    )}
  </ul>`
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
  html`<svg class="swatch" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
    <circle cx="7" cy="7" r="6.5" fill="${color}"/>
  </svg>`

/** Streams the address book as a CSV file. */
export async function downloadContacts({ context, query }: SignedInRequest): Promise<PageResult> {
  const rows = exportContacts(context, {
    search: query.get('search') ?? undefined,
    bom: query.has('bom'),
    formulaGuard: query.has('formula_guard'),
  })
  return { file: Readable.from(rows, { objectMode: false }), type: 'text/csv; charset=utf-8', name: 'contacts.csv' }
}
