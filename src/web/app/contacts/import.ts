import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import {
  type ImportCounts,
  importContacts,
  previewContacts,
  type TablePreview,
} from '../../../domain/contact/import.ts'
import { type ColumnUse, columnUses } from '../../../domain/contact/import-table.ts'
import { isLanguageField } from '../../../domain/email/language.ts'
import { detail } from '../../../domain/error-details.ts'
import { type FieldError, fieldError } from '../../../domain/field-error.ts'
import { Problem, problems } from '../../../domain/problem.ts'
import { tableText } from '../../../domain/table/read-table.ts'
import { type Html, html } from '../../../lib/html.ts'
import { XLSX_TYPE } from '../../../lib/xlsx/media-type.ts'
import { csrfField } from '../../csrf.ts'
import { select, tableErrorText } from '../../forms/field.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH, tabsView } from './list.ts'

export const showContactImport = async (request: SignedInRequest): Promise<PageResult> => importPage(request)

function importPage(request: SignedInRequest, errors: readonly FieldError[] = []): PageResult {
  const { csrf } = request
  return request.render({
    title: t('Import and export'),
    content: html`
      ${tabsView('import')}
      ${errors.length > 0 && importErrors(errors)}
      <section class="card" aria-labelledby="import">
        <h2 id="import">Import a file</h2>
        <p class="soft">
          Choose an Excel workbook (.xlsx) or a CSV file with a header row. Of a workbook, the first sheet is read. On
          the next page, you see what Canvass found and choose what each column contains. Rows without any value are
          skipped.
        </p>
        <form method="post" action="${CONTACTS_PATH}import/" enctype="multipart/form-data">
          ${csrfField(csrf)}
          <div class="field">
            <label for="file">File</label>
            <p class="hint" id="file-hint">Up to 10 MB.</p>
            <input class="box" id="file" name="file" type="file" accept=".csv,.tsv,.txt,.xlsx,text/csv,${XLSX_TYPE}"
                required aria-describedby="file-hint">
          </div>
          <button class="primary">Continue</button>
        </form>
      </section>
      <section class="card" aria-labelledby="export">
        <h2 id="export">Export</h2>
        <p class="soft">Download all contacts as a CSV file. You can import it again.</p>
        <form method="get" action="${CONTACTS_PATH}export/">
          <label class="option"><input type="checkbox" name="bom" value="1"> Add a byte order mark, for Excel</label>
          <label class="option">
            <input type="checkbox" name="formula_guard" value="1"> Prevent spreadsheet programs from running cells as
            formulas
          </label> <button class="below">Download</button>
        </form>
      </section>`,
  })
}

/**
 * Shows the columns of an uploaded file, or imports the file whose columns the owner has seen. If rows have errors, the
 * page lists them and nothing is imported.
 */
export async function importContactsFile(request: SignedInRequest): Promise<PageResult> {
  const { context, form } = request
  try {
    const kept = await keptTable(form)
    if (kept) return await importTable(request, await tableText(context, kept))
    const file = Buffer.from(formValue(form, 'file') ?? '', 'base64')
    return await columnsPage(request, await tableText(context, file))
  } catch (error) {
    return rejectedPage(importPage(request, errorsIn(request, error)))
  }
}

async function importTable(request: SignedInRequest, table: string): Promise<PageResult> {
  const uses = chosenUses(request.form)
  try {
    request.flash(resultText(await request.write((context) => importContacts(context, table, uses))))
    return { redirect: CONTACTS_PATH }
  } catch (error) {
    return rejectedPage(await columnsPage(request, table, errorsIn(request, error)))
  }
}

/** Returns the errors of a file. Throws any other error. */
function errorsIn(request: SignedInRequest, error: unknown): readonly FieldError[] {
  const problem = request.toProblem(error)
  if (!(problem instanceof Problem) || problem.kind !== 'invalid') throw error
  return problem.errors
}

function resultText({ created, updated, skipped }: ImportCounts): string {
  const counts = t('{contacts} added, {updated} updated.', {
    contacts: pluralize(created, 'contact'),
    updated: formatNumber(updated),
  })
  return skipped > 0
    ? `${counts} ${t('{rows} without any value skipped.', { rows: pluralize(skipped, 'row') })}`
    : counts
}

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Maximum size of a table in bytes. A table of 10 MB in another encoding is at most this large in UTF-8. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024

/**
 * Returns the table that the form of {@link columnsPage} keeps; undefined for the form that uploads a file.
 * @throws {Problem} `invalid_csv`
 */
async function keptTable(form: FormFields): Promise<Buffer | undefined> {
  const kept = formValue(form, 'table')
  if (kept === undefined) return undefined
  try {
    return await decompress(Buffer.from(kept, 'base64url'), { maxOutputLength: MAX_TABLE_BYTES })
  } catch {
    throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, detail('not_a_table'))])
  }
}

/** Returns what the owner chose for each column. */
function chosenUses(form: FormFields): ColumnUse[] {
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
async function columnsPage(
  request: SignedInRequest,
  table: string,
  rejected?: readonly FieldError[],
): Promise<PageResult> {
  const preview = await previewContacts(table)
  const chosen = chosenUses(request.form)
  const kept = (await compress(table)).toString('base64url')
  return request.render({
    title: t('Check the columns'),
    beforeHeading: backLink(`${CONTACTS_PATH}import/`, t('Import another file')),
    scripts: ['busy.js'],
    content: html`
      ${rejected && importErrors(withHeadings(rejected, preview, chosen))}
      <div class="card"><h2 id="rows">First rows of the file</h2>${tableView(preview)}</div>
      <form class="card" method="post" action="${CONTACTS_PATH}import/" enctype="multipart/form-data"
          data-busy="Importing…">
        ${csrfField(request.csrf)}
        <input type="hidden" name="table" value="${kept}">
        <h2>What the columns contain</h2>
        <p class="soft">
          Each contact needs a name and an email address. A first and a last name together are the name. An existing
          contact with the same name and email address is updated. If any row has an error, nothing is imported.
        </p>
        ${preview.columns.map(({ heading, use }, index) => columnField(preview, index, heading, chosen[index] ?? use))}
        <div class="actions"><button class="primary">Import</button></div>
      </form>`,
  })
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
  html`<div class="scroll" role="region" aria-labelledby="rows" tabindex="0">
    <table class="sheet">
      <thead>
        <tr>${columns.map(({ heading }, index) => html`<th scope="col">${labelOf(heading, index)}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map(
                (cell, index) =>
                  html`<td data-title="${labelOf(columns[index]!.heading, index)}">${excerpt(cell)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`

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
      ...(heading === '' ? [] : [{ value: 'custom', label: customLabel(heading) }]),
      { value: 'ignored', label: t('Leave out') },
    ],
  })
}

/** Returns the label of a custom field. Invitations are sent in the language that such a field can contain. */
const customLabel = (heading: string): string =>
  isLanguageField(heading)
    ? t('Language (custom field “{name}”)', { name: excerpt(heading) })
    : t('Custom field “{name}”', { name: excerpt(heading) })

const excerpt = (text: string): string => (text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text)

/** Lists why a file of contacts was not imported. */
const importErrors = (errors: readonly FieldError[]): Html =>
  html`<section class="alert" role="alert" aria-labelledby="errors">
    <h2 id="errors">Nothing was imported</h2>
    <ul class="errors">${errors.map((error) => html`<li>${tableErrorText(error)}</li>`)}</ul>
  </section>`
