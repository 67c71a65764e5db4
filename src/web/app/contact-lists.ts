import {
  createList,
  deleteList,
  type ListSummary,
  listLists,
  summariseList,
  updateList,
} from '../../domain/contact/lists.ts'
import { addMembers, removeMembers } from '../../domain/contact/members.ts'
import { findOrCreateContacts, parsePastedAddresses } from '../../domain/contact/pasted-addresses.ts'
import { listContacts } from '../../domain/contact/queries.ts'
import { type Html, html } from '../../lib/html.ts'
import { pageOf } from '../../lib/paging.ts'
import { csrfField, safePath } from '../csrf.ts'
import { confirmPage } from '../forms/confirm.ts'
import { alert, type FormErrors, field, textArea } from '../forms/field.ts'
import { formValue, formValues } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { t } from '../i18n/t.ts'
import { pluralize } from '../layout/format.ts'
import { backLink, pager, pathWith } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { parseId, type SignedInRequest } from '../session.ts'
import { CONTACTS_PATH, colorSwatch, contactCheckboxes, PAGE_SIZE, tabsView } from './contacts/list.ts'

const LISTS_PATH = `${CONTACTS_PATH}lists/`

export const showLists = (request: SignedInRequest): Promise<PageResult> => listsPage(request)

async function listsPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, query, csrf, form } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, lists } = await listLists(context, page)
  return request.render({
    title: t('Contact lists'),
    content: html`
      ${tabsView('lists')}
      <section class="card" aria-labelledby="lists">
        <h2 id="lists">${pluralize(total, 'list')}</h2>
        ${
          total === 0
            ? html`<p class="soft">No lists yet. Use a list to invite several contacts at the same time.</p>`
            : html`<ul class="rows">${lists.map(row)}</ul>`
        }
      </section>
      ${pager({
        number: page.number,
        total,
        size: PAGE_SIZE,
        path: (number) => pathWith(LISTS_PATH, { page: number }),
      })}
      <section class="card" aria-labelledby="new">
        <h2 id="new">New list</h2>
        ${alert(rejected?.general)}
        <form method="post" action="${LISTS_PATH}">
          ${csrfField(csrf)}
          ${field({
            name: 'name',
            label: t('Name'),
            value: rejected ? (formValue(form, 'name') ?? '') : '',
            required: true,
            errors: rejected?.errors,
          })}
          <button class="primary">Create list</button>
        </form>
      </section>`,
  })
}

const row = ({ id, name, color, contacts }: ListSummary): Html =>
  html`<li>
    <div>${colorSwatch(color)} <a href="${LISTS_PATH}${id}/">${name}</a></div>
    <span class="soft">${pluralize(contacts, 'contact')}</span>
  </li>`

export const saveNewList = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['name'],
    act: (context) => createList(context, { name: formValue(request.form, 'name') ?? '' }),
    view: (rejected) => listsPage(request, rejected),
    done: ({ id, name }) => ({
      redirect: `${LISTS_PATH}${id}/`,
      flash: t('List “{name}” created. You can now add contacts.', { name }),
    }),
  })

/** Renders a contact list with its contacts. */
async function listPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, params, query, csrf, form } = request
  const list = await summariseList(context, parseId(params.list))
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, contacts } = await listContacts(context, { list: list.id }, page)
  const path = `${CONTACTS_PATH}lists/${list.id}/`
  const errors = rejected?.errors
  const fieldValue = (name: string, stored: string) =>
    rejected && form[name] !== undefined ? (formValue(form, name) ?? '') : stored
  return request.render({
    title: list.name,
    beforeHeading: backLink(`${CONTACTS_PATH}lists/`, t('All lists')),
    content: html`
      ${alert(rejected?.general)}
      <section class="card" aria-labelledby="members">
        <h2 id="members">${pluralize(total, 'contact')}</h2>
        ${
          total === 0
            ? html`<p class="soft">
              No contacts in this list yet. Add email addresses below, or select contacts
              in <a href="${CONTACTS_PATH}">your address book</a>.
            </p>`
            : html`<form method="post" action="${path}remove/">
              ${csrfField(csrf)}
              ${await contactCheckboxes(request.context, contacts)}
              <button class="small">Remove selected</button>
            </form>`
        }
      </section>
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">Add contacts</h2>
        <form method="post" action="${path}add/">
          ${csrfField(csrf)}
          ${textArea({
            name: 'addresses',
            label: t('Email addresses'),
            prose: true,
            rows: 4,
            value: fieldValue('addresses', ''),
            hint: t(
              'One per line, for example ann@example.org or Ann Example <ann@example.org>. New people are added to your address book.',
            ),
            errors,
          })}
          <button class="primary">Add contacts</button>
        </form>
      </section>
      <section class="card" aria-labelledby="change">
        <h2 id="change">List settings</h2>
        <form method="post" action="${path}">
          ${csrfField(csrf)}
          ${field({ name: 'name', label: t('Name'), value: fieldValue('name', list.name), required: true, errors })}
          ${field({ name: 'color', label: t('Colour'), type: 'color', value: fieldValue('color', list.color), errors })}
          <div class="actions">
            <button>Save</button>
            <a class="button plain danger" href="${path}delete/">Delete list…</a>
          </div>
        </form>
      </section>`,
  })
}

const pathOf = ({ params }: SignedInRequest): string => `${CONTACTS_PATH}lists/${parseId(params.list)}/`
const readContactIds = ({ form }: SignedInRequest): number[] => formValues(form, 'contact').map(parseId).filter(Boolean)
const addedText = (added: number) =>
  added === 0
    ? t('No contacts added. All of them were already in the list.')
    : t('{contacts} added to the list.', { contacts: pluralize(added, 'contact') })

export const showList = (request: SignedInRequest): Promise<PageResult> => listPage(request)

/** Changes the name and the colour of a list. */
export async function changeList(request: SignedInRequest): Promise<PageResult> {
  const { form, params } = request
  const draft = { name: formValue(form, 'name') ?? '', color: formValue(form, 'color') }
  return formPage(request, {
    fields: ['name', 'color'],
    act: (context) => updateList(context, parseId(params.list), draft),
    view: (rejected) => listPage(request, rejected),
    done: () => ({ redirect: pathOf(request), flash: t('List saved.') }),
  })
}

/** Adds people to the list by email address. Creates a contact for each address that is not in the address book. */
export const addToList = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['addresses'],
    act: async (context) => {
      const addresses = parsePastedAddresses(formValue(request.form, 'addresses') ?? '', 'addresses')
      const { ids } = await findOrCreateContacts(context, addresses)
      return addMembers(context, parseId(request.params.list), { ids, field: 'addresses' })
    },
    view: (rejected) => listPage(request, rejected),
    done: (added) => ({ redirect: pathOf(request), flash: addedText(added) }),
  })

/** Adds the contacts selected in the address book to a list. */
export async function addSelectedToList(request: SignedInRequest): Promise<PageResult> {
  const { form, context } = request
  const back = safePath(formValue(form, 'back'), context.services, CONTACTS_PATH)
  const ids = readContactIds(request)
  if (!ids.length) request.flash(t('Select at least one contact.'))
  else {
    const { name } = await summariseList(context, parseId(formValue(form, 'list')))
    const added = await request.write((inside) =>
      addMembers(inside, parseId(formValue(form, 'list')), { ids, field: 'contact' }),
    )
    request.flash(
      added === 0
        ? t('No contacts added. All of them were already in “{name}”.', { name })
        : t('{contacts} added to “{name}”.', { contacts: pluralize(added, 'contact'), name }),
    )
  }
  return { redirect: back }
}

/** Removes contacts from the list. The contacts stay in the address book. */
export async function removeFromList(request: SignedInRequest): Promise<PageResult> {
  const ids = readContactIds(request)
  if (!ids.length) request.flash(t('Select at least one contact.'))
  else {
    await request.write((context) => removeMembers(context, parseId(request.params.list), { ids, field: 'contact' }))
    request.flash(t('{contacts} removed from the list.', { contacts: pluralize(ids.length, 'contact') }))
  }
  return { redirect: pathOf(request) }
}

/** Asks for confirmation before a contact list is deleted. */
export async function confirmDeleteList(request: SignedInRequest): Promise<PageResult> {
  const { name, contacts } = await summariseList(request.context, parseId(request.params.list))
  return confirmPage(request, {
    title: t('Delete list “{name}”?', { name }),
    beforeHeading: backLink(pathOf(request), name),
    text: t('This deletes the list, which has {contacts}. The contacts stay in your address book.', {
      contacts: pluralize(contacts, 'contact'),
    }),
    button: t('Delete list'),
    cancel: { label: t('Cancel'), path: pathOf(request) },
  })
}

/** Deletes a contact list. The contacts stay in the address book. */
export async function removeList(request: SignedInRequest): Promise<PageResult> {
  const { name, id } = await summariseList(request.context, parseId(request.params.list))
  await request.write((context) => deleteList(context, id))
  request.flash(t('List “{name}” deleted. Its contacts are still in your address book.', { name }))
  return { redirect: `${CONTACTS_PATH}lists/` }
}
