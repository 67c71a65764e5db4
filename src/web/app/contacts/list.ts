import { listLists } from '../../../domain/contact/lists.ts'
import { listContacts } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import { emptyState } from '../../layout/empty-state.ts'
import { icon } from '../../layout/icon.ts'
import { pager, pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH, contactCheckboxes, PAGE_SIZE, tabsView } from './view.ts'

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
    content: html`${tabsView('contacts')}${
      total === 0 && !search
        ? emptyState(
            'contacts',
            t('Your address book is empty'),
            html`Add a contact, <a href="${CONTACTS_PATH}import/">import a file</a>, or enter email addresses when you send an invitation.`,
            { path: `${CONTACTS_PATH}new/`, label: t('Add contact') },
          )
        : html`<form method="get" action="${CONTACTS_PATH}" role="search" class="search"><label for="search" class="hidden">Search contacts</label><input class="box" id="search" name="search" type="search" value="${search}" placeholder="Name, email or field"><button>Search</button></form>
<p class="soft" role="status">${total === 0 ? t('No contacts match your search.') : pluralize(total, 'contact')}</p>${
            contacts.length > 0 &&
            html`<form method="post" action="${CONTACTS_PATH}" class="card">${csrfField(csrf)}<input type="hidden" name="back" value="${pathOfPage(page.number)}">${await contactCheckboxes(context, contacts)}${
              lists.length > 0 &&
              html`<div class="search"><label for="list">Add selected to</label><select class="box" id="list" name="list">${lists.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select><button class="small">Add</button></div>`
            }</form>`
          }`
    }${pager({ number: page.number, total, size: PAGE_SIZE, path: pathOfPage })}`,
  })
}
