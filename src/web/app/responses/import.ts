import { Problem } from '../../../domain/problem.ts'
import { type ImportedResponses, importResponses } from '../../../domain/response/import/import.ts'
import { type ChoiceValues, choiceValues } from '../../../domain/structure/parse-answer.ts'
import { tableText } from '../../../domain/table/read-table.ts'
import { html, type Part } from '../../../lib/html.ts'
import { XLSX_TYPE } from '../../../lib/xlsx/media-type.ts'
import { csrfField } from '../../csrf.ts'
import { select, tableErrorText } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { readResponsesRequest } from './frame.ts'

/** Shows the form for the import of responses. */
export const showImport = (request: SurveyRequest): Promise<PageResult> => importPage(request, null)

async function importPage(request: SurveyRequest, error: Part): Promise<PageResult> {
  const { listPath, csrf, snapshot } = await readResponsesRequest(request)
  const keys = snapshot.questionnaire.fields.map(({ key }) => key)
  return request.render({
    title: t('Import responses'),
    beforeHeading: backLink(listPath, t('All responses')),
    content: html`
      ${error}
      <form method="post" action="${listPath}import/" enctype="multipart/form-data" class="card">
        ${csrfField(csrf)}
        <p>
          Choose an Excel workbook (.xlsx) or a CSV file of up to 10 MB. Of a workbook, the first sheet is read. In the
          header row, use the column names below. Each following row becomes a response; rows without any value are
          skipped. If any row has an error, nothing is imported.
        </p>
        <p class="soft below">
          Columns: ${keys.map((key, index) => html`${index > 0 && ', '}<code>${key}</code>`)}
          ${keys.length === 0 && t('this survey has no questions yet')}. You can also
          include <code>_completed</code>, <code>_language</code> and <code>_created_at</code>. The download “CSV for
          statistics programs” can be imported as it is. A row without <code>_completed</code> is a complete response.
        </p>
        <div class="field below">
          <label for="file">File</label>
          <input class="box" type="file" id="file" name="file" accept=".csv,.tsv,.txt,.xlsx,text/csv,${XLSX_TYPE}"
              required>
        </div>
        ${select({
          name: 'values',
          label: t('Numbers in columns of choices'),
          value: valuesIn(request),
          hint: t('Matters only if the labels of choices are numbers, as in a scale from 1 to 5.'),
          options: [
            { value: 'auto', label: t('Reject a number that can mean two choices') },
            { value: 'labels', label: t('are labels, as in a download with labels') },
            { value: 'indices', label: t('are positions counted from 0, as in a download without labels') },
          ],
        })}
        <div class="actions"><button class="primary">Import</button></div>
      </form>`,
  })
}

/** Returns what the owner chose for numbers in columns of choices. */
const valuesIn = ({ form }: SurveyRequest): ChoiceValues =>
  choiceValues.find((one) => one === formValue(form, 'values')) ?? 'auto'

/** Imports a file. If rows have errors, the page lists them and nothing is imported. */
export async function importResponseFile(request: SurveyRequest): Promise<PageResult> {
  const file = Buffer.from(formValue(request.form, 'file') ?? '', 'base64')
  let result: ImportedResponses
  try {
    const table = await tableText(request.context, file)
    result = await importResponses(request.context, request.survey.id, table, valuesIn(request))
  } catch (error) {
    const problem = request.toProblem(error)
    if (!(problem instanceof Problem) || problem.errors.length === 0) throw error
    return rejectedPage(await importPage(request, errorsView(problem)))
  }
  request.flash(resultText(result))
  return { redirect: `${request.root}responses/` }
}

function resultText({ imported, skipped, otherCollectors }: ImportedResponses): string {
  const texts = [t('{responses} imported.', { responses: pluralize(imported, 'response') })]
  if (skipped > 0) texts.push(t('{rows} without any value skipped.', { rows: pluralize(skipped, 'row') }))
  if (otherCollectors > 0)
    texts.push(
      t('{responses} stored with the default collector, because theirs belongs to another survey.', {
        responses: pluralize(otherCollectors, 'response'),
      }),
    )
  return texts.join(' ')
}

const errorsView = ({ errors }: Problem): Part =>
  html`<div class="alert" role="alert">
    <p>
      Nothing was imported. Fix
      ${errors.length === 1 ? t('this error') : t('these {length} errors', { length: errors.length })} and try again:
    </p>
    <ul class="row-errors">${errors.map((error) => html`<li>${tableErrorText(error)}</li>`)}</ul>
  </div>`
