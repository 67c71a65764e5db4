import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { previewContacts, type TablePreview } from '../../../domain/contact/import.ts'
import { type ColumnUse, columnUses } from '../../../domain/contact/import-table.ts'
import { detail } from '../../../domain/error-details.ts'
import { type FieldError, fieldError } from '../../../domain/field-error.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { select } from '../../forms/select.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { importErrors } from './import-errors.ts'
import { CONTACTS_PATH } from './view.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Maximum size of a table in bytes. A table of 10 MB in another encoding is at most this large in UTF-8. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024

/**
 * Returns the table that the form of {@link columnsPage} keeps; undefined for the form that uploads a file.
 * @throws {Problem} `invalid_csv`
 */
export async function keptTable(form: FormFields): Promise<Buffer | undefined> {
  const kept = formValue(form, 'table')
  if (kept === undefined) return undefined
  try {
    return await decompress(Buffer.from(kept, 'base64url'), { maxOutputLength: MAX_TABLE_BYTES })
  } catch {
    throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, detail('not_a_table'))])
  }
}

/** Returns what the owner chose for each column. */
export function chosenUses(form: FormFields): ColumnUse[] {
  const uses: ColumnUse[] = []
  for (let value = useIn(form, 0); value; value = useIn(form, uses.length)) uses.push(value)
  return uses
}

const useIn = (form: FormFields, index: number): ColumnUse | undefined =>
  columnUses.find((use) => use === formValue(form, `column.${index}`))

/**
 * Shows the first rows of an uploaded table, and lets the owner choose what each column contains. The form keeps the
 * table, so that the next request needs no file.
 * @param rejected the errors of the import that the owner has tried
 */
export async function columnsPage(
  request: SignedInRequest,
  table: string,
  rejected?: readonly FieldError[],
): Promise<PageResult> {
  const preview = await previewContacts(table)
  const chosen = chosenUses(request.form)
  const kept = (await compress(table)).toString('base64url')
  return request.render(
    {
      title: t('Check the columns'),
      beforeHeading: backLink(`${CONTACTS_PATH}import/`, t('Import another file')),
      scripts: ['busy.js'],
      content: html`${rejected && importErrors(withHeadings(rejected, preview, chosen))}<div class="card"><h2 id="rows">First rows of the file</h2>${tableView(preview)}</div>
<form class="card" method="post" action="${CONTACTS_PATH}import/" enctype="multipart/form-data" data-busy="Importing…">${csrfField(request.csrf)}<input type="hidden" name="table" value="${kept}">
<h2>What the columns contain</h2>
<p class="soft">Each contact needs a name and an email address. A first and a last name together are the name. An existing contact with the same name and email address is updated. If any row has an error, nothing is imported.</p>
${preview.columns.map(({ heading, use }, index) => columnField(preview, index, heading, chosen[index] ?? use))}
<div class="actions"><button class="primary">Import</button></div></form>`,
    },
    rejected ? 422 : 200,
  )
}

/** Returns errors that name a column by its heading in the file, or else as the page does. */
function withHeadings(errors: readonly FieldError[], { columns }: TablePreview, chosen: readonly ColumnUse[]) {
  const names: Readonly<Record<string, string>> = {
    name: t('Name'),
    email: t('Email'),
    unsubscribed: t('Unsubscribed (yes or no)'),
  }
  return errors.map((error) => {
    const [, row = '', use = ''] = /^(row \d+: |)(name|email|unsubscribed)$/.exec(error.field) ?? []
    if (use === '') return error
    const index = columns.findIndex((column, at) => (chosen[at] ?? column.use) === use)
    return { ...error, field: row + (index === -1 ? names[use] : labelOf(columns[index]!.heading, index)) }
  })
}

const tableView = ({ columns, rows }: TablePreview): Html =>
  html`<div class="scroll" role="region" aria-labelledby="rows" tabindex="0"><table class="sheet"><thead><tr>${columns.map(({ heading }, index) => html`<th scope="col">${labelOf(heading, index)}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, index) => html`<td data-title="${labelOf(columns[index]!.heading, index)}">${excerpt(cell)}</td>`)}</tr>`)}</tbody></table></div>`

const labelOf = (heading: string, index: number): string =>
  heading === '' ? t('Column {number}', { number: index + 1 }) : excerpt(heading)

function columnField({ rows }: TablePreview, index: number, heading: string, use: ColumnUse): Html {
  const examples = rows.map((cells) => cells[index]!.trim()).filter((cell) => cell !== '')
  return select({
    name: `column.${index}`,
    label: labelOf(heading, index),
    value: use,
    hint: examples.slice(0, 3).map(excerpt).join(' · '),
    options: [
      { value: 'name', label: t('Name') },
      { value: 'first_name', label: t('First name') },
      { value: 'last_name', label: t('Last name') },
      { value: 'email', label: t('Email') },
      { value: 'unsubscribed', label: t('Unsubscribed (yes or no)') },
      ...(heading === '' ? [] : [{ value: 'custom', label: t('Custom field “{name}”', { name: excerpt(heading) }) }]),
      { value: 'ignored', label: t('Leave out') },
    ],
  })
}

const excerpt = (text: string): string => (text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text)
