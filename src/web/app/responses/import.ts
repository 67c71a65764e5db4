import { Problem } from '../../../domain/problem.ts'
import { importResponses } from '../../../domain/response/import/import.ts'
import { html, type Part } from '../../../lib/html.ts'
import { alert } from '../../forms/field.ts'
import { csrfField } from '../../layout/app-shell.ts'
import type { PageResult } from '../../page.ts'
import { one } from '../../respondent/input.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { aboutResponses } from './frame.ts'

/** Where a table of responses is handed in. */
export const showImport = (request: SurveyRequest): Promise<PageResult> => importPage(request, null)

async function importPage(request: SurveyRequest, wrong: Part, status = 200): Promise<PageResult> {
  const { top, csrf, snapshot } = await aboutResponses(request)
  const keys = snapshot.questionnaire.fields.map(({ key }) => key)
  return request.render(
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
export async function takeImport(request: SurveyRequest): Promise<PageResult> {
  const text = one(request.form, 'file') ?? ''
  if (text.trim() === '') return importPage(request, alert('Choose a file that is not empty.'), 422)
  let imported: number
  try {
    imported = await importResponses(request.context, request.survey.id, text.replace(/^\ufeff/, ''))
  } catch (error) {
    const known = request.toProblem(error)
    if (!(known instanceof Problem) || known.errors.length === 0) throw error
    return importPage(request, faultsView(known), 422)
  }
  request.flash(imported === 1 ? '1 response imported.' : `${imported.toLocaleString('en')} responses imported.`)
  return { redirect: `${request.root}responses/` }
}

const faultsView = ({ errors }: Problem): Part =>
  html`<div class="alert" role="alert"><p>Nothing was imported. Mend ${errors.length === 1 ? 'this' : `these ${errors.length}`} and try again:</p><ul class="wrongs">${errors.map(
    ({ field, message }) => html`<li><strong>${field === 'body' ? 'The file' : field}</strong> ${message}</li>`,
  )}</ul></div>`
