import { type ImportCounts, importContacts } from '../../../domain/contact/import/import.ts'
import type { FieldError } from '../../../domain/field-error.ts'
import { Problem } from '../../../domain/problem.ts'
import { tableText } from '../../../domain/table/table-text.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { tableErrorText } from '../../forms/table-errors.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { CONTACTS_PATH, tabsView } from './view.ts'

export const showContactImport = async (request: SignedInRequest): Promise<PageResult> => importPage(request)

function importPage(request: SignedInRequest, errors: readonly FieldError[] = []): PageResult {
  const { csrf } = request
  return request.render(
    {
      title: t('Import and export'),
      scripts: ['busy.js'],
      content: html`${tabsView('import')}${
        errors.length > 0 &&
        html`<section class="alert" role="alert" aria-labelledby="errors"><h2 id="errors">Nothing was imported</h2><ul class="errors">${errors.map((error) => html`<li>${tableErrorText(error)}</li>`)}</ul></section>`
      }<section class="card" aria-labelledby="import"><h2 id="import">Import a file</h2>
<p class="soft">Choose a UTF-8 CSV file with a header row. The columns <code>name</code> and <code>email</code> are required. The column <code>unsubscribed</code> is optional. Other columns become custom fields. An existing contact with the same name and email address is updated. If any row has an error, nothing is imported.</p>
<form method="post" action="${CONTACTS_PATH}import/" enctype="multipart/form-data" data-busy="Importing…">${csrfField(csrf)}
<div class="field"><label for="file">File</label><p class="hint" id="file-hint">Up to 10 MB.</p><input class="box" id="file" name="file" type="file" accept=".csv,text/csv" required aria-describedby="file-hint"></div>
<button class="primary">Import</button></form></section>
<section class="card" aria-labelledby="export"><h2 id="export">Export</h2><p class="soft">Download all contacts as a CSV file. You can import it again.</p>
<form method="get" action="${CONTACTS_PATH}export/"><label class="option"><input type="checkbox" name="bom" value="1"> Add a byte order mark, for Excel</label>
<label class="option"><input type="checkbox" name="formula_guard" value="1"> Prevent spreadsheet programs from running cells as formulas</label>
<button class="below">Download</button></form></section>`,
    },
    errors.length > 0 ? 422 : 200,
  )
}

/** Imports a file. If rows have errors, the page lists them and nothing is imported. */
export async function importContactsFile(request: SignedInRequest): Promise<PageResult> {
  const file = Buffer.from(formValue(request.form, 'file') ?? '', 'base64')
  try {
    const table = await tableText(request.context, file)
    request.flash(resultText(await request.write((context) => importContacts(context, table))))
    return { redirect: CONTACTS_PATH }
  } catch (error) {
    const problem = request.toProblem(error)
    if (!(problem instanceof Problem) || problem.kind !== 'invalid') throw error
    return importPage(request, problem.errors)
  }
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
