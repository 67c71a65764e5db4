import { Problem } from '../../../domain/problem.ts'
import { importResponses } from '../../../domain/response/import/import.ts'
import { html, type Part } from '../../../lib/html.ts'
import { alert } from '../../forms/field.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import type { SurveyVisit } from '../surveys/frame.ts'
import { aboutResponses } from './frame.ts'

/** Where a table of responses is handed in. */
export const showImport = (visit: SurveyVisit): Promise<Answer> => importPage(visit, null)

async function importPage(visit: SurveyVisit, wrong: Part, status = 200): Promise<Answer> {
  const { top, csrf, snapshot } = await aboutResponses(visit)
  const keys = snapshot.questionnaire.fields.map(({ key }) => key)
  return visit.show(
    {
      title: 'Import responses',
      action: html`<a class="button plain small" href="${top}">Back to the responses</a>`,
      content: html`${wrong}<form method="post" action="${top}import/" enctype="multipart/form-data" class="card">${csrfField(csrf)}
<p>A CSV file (commas, UTF-8, at most 10 MB). Its first row names the columns as a download does; each further row becomes a response. All rows are taken, or none.</p>
<p class="soft below">Columns: ${keys.map((key, index) => html`${index > 0 && ', '}<code>${key}</code>`)}${keys.length === 0 && 'the survey has no questions yet'}. Beside them <code>_completed</code>, <code>_language</code>, <code>_created_at</code> and others of a download. A row counts as complete unless <code>_completed</code> says 0.</p>
<div class="field below"><label for="file">File</label><input class="box" type="file" id="file" name="file" accept=".csv,text/csv" required></div>
<div class="actions"><button class="primary">Import</button></div></form>`,
    },
    status,
  )
}

/** Takes a table in; what is wrong with it is told row by row, and nothing is stored then. */
export async function takeImport(visit: SurveyVisit): Promise<Answer> {
  const text = one(visit.form, 'file') ?? ''
  if (text.trim() === '') return importPage(visit, alert('Choose a file that is not empty.'), 422)
  let imported: number
  try {
    imported = await importResponses(visit.context, visit.survey.id, text.replace(/^\ufeff/, ''))
  } catch (error) {
    const known = visit.known(error)
    if (!(known instanceof Problem) || known.faults.length === 0) throw error
    return importPage(visit, faultsView(known), 422)
  }
  visit.tell(imported === 1 ? '1 response imported.' : `${imported.toLocaleString('en')} responses imported.`)
  return { redirect: `${visit.root}responses/` }
}

const faultsView = ({ faults }: Problem): Part =>
  html`<div class="alert" role="alert"><p>Nothing was imported. Mend ${faults.length === 1 ? 'this' : `these ${faults.length}`} and try again:</p><ul class="wrongs">${faults.map(
    ({ field, message }) => html`<li><strong>${field === 'body' ? 'The file' : field}</strong> ${message}</li>`,
  )}</ul></div>`
