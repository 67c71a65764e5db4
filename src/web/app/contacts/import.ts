import { type ImportCounts, importContacts } from '../../../domain/contact/import.ts'
import type { FieldError } from '../../../domain/field-error.ts'
import { Problem } from '../../../domain/problem.ts'
import { tableText } from '../../../domain/table/read-table.ts'
import { html } from '../../../lib/html.ts'
import { XLSX_TYPE } from '../../../lib/xlsx/media-type.ts'
import { csrfField } from '../../csrf.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { chosenUses, columnsPage, keptTable } from './import-columns.ts'
import { importErrors } from './import-errors.ts'
import { CONTACTS_PATH, tabsView } from './view.ts'

export const showContactImport = async (request: SignedInRequest): Promise<PageResult> => importPage(request)

function importPage(request: SignedInRequest, errors: readonly FieldError[] = []): PageResult {
  const { csrf } = request
  return request.render(
    {
      title: t('Import and export'),
      content: html`${tabsView('import')}${errors.length > 0 && importErrors(errors)}<section class="card" aria-labelledby="import"><h2 id="import">Import a file</h2>
<p class="soft">Choose an Excel workbook (.xlsx) or a CSV file with a header row. Of a workbook, the first sheet is read. On the next page, you see what Canvass found and choose what each column contains. Rows without any value are skipped.</p>
<form method="post" action="${CONTACTS_PATH}import/" enctype="multipart/form-data">${csrfField(csrf)}
<div class="field"><label for="file">File</label><p class="hint" id="file-hint">Up to 10 MB.</p><input class="box" id="file" name="file" type="file" accept=".csv,.tsv,.txt,.xlsx,text/csv,${XLSX_TYPE}" required aria-describedby="file-hint"></div>
<button class="primary">Continue</button></form></section>
<section class="card" aria-labelledby="export"><h2 id="export">Export</h2><p class="soft">Download all contacts as a CSV file. You can import it again.</p>
<form method="get" action="${CONTACTS_PATH}export/"><label class="option"><input type="checkbox" name="bom" value="1"> Add a byte order mark, for Excel</label>
<label class="option"><input type="checkbox" name="formula_guard" value="1"> Prevent spreadsheet programs from running cells as formulas</label>
<button class="below">Download</button></form></section>`,
    },
    errors.length > 0 ? 422 : 200,
  )
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
    return importPage(request, errorsIn(request, error))
  }
}

async function importTable(request: SignedInRequest, table: string): Promise<PageResult> {
  const uses = chosenUses(request.form)
  try {
    request.flash(resultText(await request.write((context) => importContacts(context, table, uses))))
    return { redirect: CONTACTS_PATH }
  } catch (error) {
    return columnsPage(request, table, errorsIn(request, error))
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
