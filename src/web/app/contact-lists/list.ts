import { createList, type ListSummary, listLists } from '../../../domain/contact/lists.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { pager, pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH, colorSwatch, PAGE_SIZE, tabsView } from '../contacts/view.ts'

const LISTS_PATH = `${CONTACTS_PATH}lists/`

export const showLists = (request: SignedInRequest): Promise<PageResult> => listsPage(request)

async function listsPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, query, csrf, form } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, lists } = await listLists(context, page)
  return request.render(
    {
      title: t('Contact lists'),
      content: html`${tabsView('lists')}<section class="card" aria-labelledby="lists"><h2 id="lists">${pluralize(total, 'list')}</h2>${
        total === 0
          ? html`<p class="soft">No lists yet. Use a list to invite several contacts at the same time.</p>`
          : html`<ul class="rows">${lists.map(row)}</ul>`
      }</section>${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(LISTS_PATH, { page: number }) })}
<section class="card" aria-labelledby="new"><h2 id="new">New list</h2>${alert(rejected?.general)}<form method="post" action="${LISTS_PATH}">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: rejected ? (formValue(form, 'name') ?? '') : '', required: true, errors: rejected?.errors ?? new Map() })}
<button class="primary">Create list</button></form></section>`,
    },
    rejected ? 422 : 200,
  )
}

const row = ({ id, name, color, contacts }: ListSummary): Html =>
  html`<li><div>${colorSwatch(color)} <a href="${LISTS_PATH}${id}/">${name}</a></div><span class="soft">${pluralize(contacts, 'contact')}</span></li>`

export async function saveNewList(request: SignedInRequest): Promise<PageResult> {
  try {
    const { id, name } = await request.write((context) =>
      createList(context, { name: formValue(request.form, 'name') ?? '' }),
    )
    request.flash(t('List “{name}” created. You can now add contacts.', { name }))
    return { redirect: `${LISTS_PATH}${id}/` }
  } catch (error) {
    return listsPage(request, fieldErrorsOf(request.toProblem(error), ['name']))
  }
}
