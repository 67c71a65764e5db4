import { importContacts } from '../../../domain/contact/import/import.ts'
import { type Fault, Problem } from '../../../domain/problem.ts'
import { html } from '../../../lib/html.ts'
import { counted } from '../../layout/pluralize.ts'
import { csrfField } from '../../layout/app-shell.ts'
import type { SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { BOOK, partsView } from './view.ts'

export const askForFile = async (visit: SignedIn): Promise<Answer> => importPage(visit)

function importPage(visit: SignedIn, faults: readonly Fault[] = []): Answer {
  const { csrf } = visit
  return visit.show(
    {
      title: 'Import and export',
      scripts: ['busy.js'],
      content: html`${partsView('import')}${
        faults.length > 0 &&
        html`<section class="alert" role="alert" aria-labelledby="faults"><h2 id="faults">Nothing was imported</h2><ul class="faults">${faults.map(({ field, message }) => html`<li><strong>${field}</strong> ${message}</li>`)}</ul></section>`
      }<section class="card" aria-labelledby="import"><h2 id="import">Import a file</h2>
<p class="soft">A CSV file in UTF-8 with a header. It needs the columns <code>name</code> and <code>email</code>; <code>unsubscribed</code> is known, every other column becomes a custom field. Who is there already, by name and address, is updated. All rows are taken, or none.</p>
<form method="post" action="${BOOK}import/" enctype="multipart/form-data" data-busy="Importing…">${csrfField(csrf)}
<div class="field"><label for="file">File</label><p class="hint" id="file-hint">At most 10 MB.</p><input class="box" id="file" name="file" type="file" accept=".csv,text/csv" required aria-describedby="file-hint"></div>
<button class="primary">Import</button></form></section>
<section class="card" aria-labelledby="export"><h2 id="export">Export</h2><p class="soft">The whole address book as CSV. It can be imported again.</p>
<form method="get" action="${BOOK}export/"><label class="way"><input type="checkbox" name="bom" value="1"> Mark it as UTF-8, for spreadsheet programs</label>
<label class="way"><input type="checkbox" name="formula_guard" value="1"> Put an apostrophe before what a spreadsheet program would run</label>
<button class="below">Download</button></form></section>`,
    },
    faults.length > 0 ? 422 : 200,
  )
}

/** Takes all rows or none, and says of each row that is wrong why. */
export async function importFile(visit: SignedIn): Promise<Answer> {
  const text = one(visit.form, 'file') ?? ''
  if (!text.trim()) return importPage(visit, [{ field: 'File', message: 'is empty' }])
  try {
    const { created, updated } = await visit.write((context) => importContacts(context, text))
    visit.tell(`${counted(created, 'contact')} added, ${updated.toLocaleString('en')} updated.`)
    return { redirect: BOOK }
  } catch (error) {
    const known = visit.known(error)
    if (!(known instanceof Problem) || known.kind !== 'invalid') throw error
    return importPage(visit, known.faults)
  }
}
