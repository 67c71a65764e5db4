import { summariseList } from '../../../domain/contact/lists.ts'
import { listContacts } from '../../../domain/contact/queries.ts'
import { html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors, field, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pager, pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH, contactCheckboxes, PAGE_SIZE } from '../contacts/view.ts'

/** Renders a contact list with its contacts. */
export async function listPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, params, query, csrf, form } = request
  const list = await summariseList(context, parseId(params.list))
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, contacts } = await listContacts(context, { list: list.id }, page)
  const path = `${CONTACTS_PATH}lists/${list.id}/`
  const errors: FieldErrorTexts = rejected?.errors ?? new Map()
  const fieldValue = (name: string, stored: string) =>
    rejected && form[name] !== undefined ? (formValue(form, name) ?? '') : stored
  return request.render(
    {
      title: list.name,
      beforeHeading: backLink(`${CONTACTS_PATH}lists/`, t('All lists')),
      content: html`${alert(rejected?.general)}
<section class="card" aria-labelledby="members"><h2 id="members">${pluralize(total, 'contact')}</h2>${
        total === 0
          ? html`<p class="soft">No contacts in this list yet. Add email addresses below, or select contacts in <a href="${CONTACTS_PATH}">your address book</a>.</p>`
          : html`<form method="post" action="${path}remove/">${csrfField(csrf)}${await contactCheckboxes(request.context, contacts)}<button class="small">Remove selected</button></form>`
      }</section>${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}
<section class="card" aria-labelledby="add"><h2 id="add">Add contacts</h2><form method="post" action="${path}add/">${csrfField(csrf)}
${textArea({ name: 'addresses', label: t('Email addresses'), prose: true, rows: 4, value: fieldValue('addresses', ''), hint: t('One per line, for example ann@example.org or Ann Example <ann@example.org>. New people are added to your address book.'), errors })}
<button class="primary">Add contacts</button></form></section>
<section class="card" aria-labelledby="change"><h2 id="change">List settings</h2><form method="post" action="${path}">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: fieldValue('name', list.name), required: true, errors })}
${field({ name: 'color', label: t('Colour'), type: 'color', value: fieldValue('color', list.color), errors })}
<div class="actions"><button>Save</button><a class="button plain danger" href="${path}delete/">Delete list…</a></div></form></section>`,
    },
    rejected ? 422 : 200,
  )
}
