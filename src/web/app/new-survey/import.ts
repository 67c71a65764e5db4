import { detail } from '../../../domain/error-details.ts'
import { Problem, problems } from '../../../domain/problem.ts'
import { readXlsform } from '../../../domain/structure/xlsform/read.ts'
import { isTextForm } from '../../../domain/structure/xlsform/text-form.ts'
import { html } from '../../../lib/html.ts'
import { isWorkbook } from '../../../lib/xlsx/is-workbook.ts'
import { XLSX_TYPE } from '../../../lib/xlsx/media-type.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf, labelled, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { errorText } from '../../i18n/error-texts.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { convertedPage } from './converted.ts'
import { createAndEdit, parseStructureField } from './create.ts'
import { NEW_PATH } from './show.ts'

export const showSurveyImport = async (request: SignedInRequest): Promise<PageResult> => importPage(request)

/** Shows the form that uploads a file, and the form into which users paste a structure as text. */
export function importPage(request: SignedInRequest, rejected?: FormErrors): PageResult {
  const { csrf, form } = request
  const errors = rejected?.errors ?? new Map()
  const value = (name: string) => formValue(form, name) ?? ''
  return request.render(
    {
      title: t('Import a file'),
      beforeHeading: backLink(NEW_PATH, t('New survey')),
      scripts: ['busy.js'],
      content: html`${alert(rejected?.general)}<section class="card" aria-labelledby="upload"><h2 id="upload">Upload a file</h2>
<form method="post" action="${NEW_PATH}import/" enctype="multipart/form-data" data-busy="Reading the file…">${csrfField(csrf)}
${labelled(
  {
    name: 'file',
    label: t('File'),
    hint: t(
      'An XLSForm (.xlsx, or .csv and .md as pyxform reads them), or a structure (.json). Up to 10 MB. Before an XLSForm becomes a survey, Canvass lists the parts that it cannot convert. A structure becomes a survey immediately.',
    ),
    errors,
  },
  (ariaAttributes) =>
    html`<input class="box" id="file" name="file" type="file" accept=".xlsx,.csv,.md,.json,application/json,text/csv,text/markdown,${XLSX_TYPE}" required${ariaAttributes}>`,
)}
<button class="primary">Upload</button></form></section>
<section class="card" aria-labelledby="paste"><h2 id="paste">Paste a structure</h2><form method="post" action="${NEW_PATH}">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: value('name'), hint: t('Leave blank to use the title of the structure.'), errors })}
${textArea({ name: 'structure', label: t('Structure'), value: value('structure'), hint: t('JSON'), errors })}
<div class="actions"><button class="primary">Create survey</button><a class="button plain" href="${NEW_PATH}">Cancel</a></div></form></section>`,
    },
    rejected ? 422 : 200,
  )
}

/** Creates a survey from an uploaded structure. For an XLSForm, shows the survey into which it was converted. */
export async function submitSurveyImport(request: SignedInRequest): Promise<PageResult> {
  const file = Buffer.from(formValue(request.form, 'file') ?? '', 'base64')
  try {
    if (file.length === 0) throw problems.invalidField('file', 'blank', {}, detail('empty_file'))
    if (isWorkbook(file) || isTextForm(file)) return convertedPage(request, await readXlsform(request.context, file))
    const text = file.toString('utf8').replace(/^\uFEFF/, '')
    return await createAndEdit(request, { structure: parseStructureFile(text) })
  } catch (error) {
    return importPage(request, fileErrorsOf(request.toProblem(error)))
  }
}

/** Returns the errors of the form. Reports errors in a sheet of the workbook as errors of the field `file`. */
function fileErrorsOf(error: unknown): FormErrors {
  const [first] = error instanceof Problem && error.code === 'invalid_xlsform' ? error.errors : []
  if (!first || first.field === 'file') return fieldErrorsOf(error, ['file'])
  const message = t('The sheet “{field}” {message}', { field: first.field, message: errorText(first) })
  return { errors: new Map([['file', message]]), general: undefined }
}

/** @throws {Problem} `invalid_request` for a file that is neither a workbook nor JSON */
function parseStructureFile(text: string): unknown {
  try {
    return parseStructureField(text)
  } catch (error) {
    if (!(error instanceof Problem) || /^\s*[{[]/.test(text)) throw asFileError(error)
    throw problems.invalidField('file', 'not_a_workbook', {}, detail('neither_workbook_nor_json'))
  }
}

function asFileError(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  return problems.invalid(error.errors.map((one) => ({ ...one, field: 'file' })))
}
