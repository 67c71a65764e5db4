import { detail } from '../../../domain/error-details.ts'
import { archiveOf } from '../../../domain/moving/files.ts'
import { Problem, problems } from '../../../domain/problem.ts'
import { titleOf } from '../../../domain/structure/structure.ts'
import type { Issue } from '../../../domain/structure/xlsform/issues.ts'
import { type ConvertedForm, readXlsform } from '../../../domain/structure/xlsform/read.ts'
import { isTextForm } from '../../../domain/structure/xlsform/text-form.ts'
import { createSurvey } from '../../../domain/survey/commands.ts'
import type { Survey } from '../../../domain/survey/survey.ts'
import { type Html, html } from '../../../lib/html.ts'
import { exceededJsonLimit, MAX_DEPTH, MAX_VALUES, syntaxErrorsOf } from '../../../lib/json.ts'
import { isWorkbook } from '../../../lib/xlsx/workbook.ts'
import { kindOf, typeOf } from '../../../questions/index.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf, labelled, textArea } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { errorText, issueText } from '../../i18n/error-texts.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { surveyRoot } from '../surveys/survey-page.ts'
import { keepForImport } from './moved.ts'

export const SURVEYS_PATH = '/account/surveys/'
export const NEW_PATH = `${SURVEYS_PATH}new/`

/** Opens a new survey in the builder. */
export function editNew(request: SignedInRequest, { id, name }: Pick<Survey, 'id' | 'name'>): PageResult {
  request.flash(t('“{name}” created. Respondents can take it after you publish it.', { name }))
  return { redirect: `${surveyRoot(id)}edit/` }
}

/**
 * Parses the form field that contains a structure as JSON.
 * @returns undefined if the field is blank
 * @throws {Problem} `invalid_request` for invalid JSON, and for JSON with too many levels or values
 */
export function parseStructureField(text: string): unknown {
  if (!text.trim()) return undefined
  const exceeded = exceededJsonLimit(text)
  if (exceeded)
    throw problems.invalidField(
      'structure',
      'invalid_structure',
      {},
      detail(exceeded === 'depth' ? 'json_depth' : 'json_values', {
        max: (exceeded === 'depth' ? MAX_DEPTH : MAX_VALUES).toLocaleString(pageLanguage()),
      }),
    )
  try {
    return JSON.parse(text)
  } catch {
    const [error] = syntaxErrorsOf(text)
    throw problems.invalidField('structure', 'invalid_structure', {}, detail('not_json', { line: error?.line ?? 1 }))
  }
}

export const showSurveyImport = async (request: SignedInRequest): Promise<PageResult> => importPage(request)

/** Shows the form that uploads a file, and the form into which users paste a structure as text. */
export function importPage(request: SignedInRequest, rejected?: FormErrors): PageResult {
  const { csrf, form } = request
  const errors = rejected?.errors
  const value = (name: string) => formValue(form, name) ?? ''
  return request.render({
    title: t('Import a file'),
    beforeHeading: backLink(NEW_PATH, t('New survey')),
    scripts: ['busy.js'],
    content: html`
      ${alert(rejected?.general)}
      <section class="card" aria-labelledby="upload">
        <h2 id="upload">Upload a file</h2>
        <p>
          From LimeSurvey, Qualtrics, Google Forms, SurveyMonkey, Typeform, REDCap, Kobo, ODK, SurveyJS or FHIR.
        </p>
        <form method="post" action="${NEW_PATH}import/" enctype="multipart/form-data" data-busy="Reading the file…">
          ${csrfField(csrf)}
          ${labelled(
            {
              name: 'file',
              label: t('File'),
              hint: t(
                'The file of a survey of another tool, an XLSForm (.xlsx, or .csv and .md as pyxform reads them), a ZIP archive with the survey and its responses, or a structure (.json). Up to 10 MB.',
              ),
              errors,
            },
            (ariaAttributes) => html`<input class="box" id="file" name="file" type="file" required${ariaAttributes}>`,
          )}
          ${labelled(
            {
              name: 'responses',
              label: t('Responses (optional)'),
              hint: t('The file of the responses, if the other tool exports them separately: CSV, Excel or JSON.'),
              errors,
            },
            (ariaAttributes) => html`<input class="box" id="responses" name="responses" type="file"${ariaAttributes}>`,
          )}
          <p class="soft">
            Canvass first lists what it cannot convert. Only a structure becomes a survey immediately.
          </p>
          <button class="primary">Upload</button>
        </form>
      </section>
      <section class="card" aria-labelledby="paste">
        <h2 id="paste">Paste a structure</h2>
        <form method="post" action="${NEW_PATH}">
          ${csrfField(csrf)}
          ${field({
            name: 'name',
            label: t('Name'),
            value: value('name'),
            hint: t('Leave blank to use the title of the structure.'),
            errors,
          })}
          ${textArea({ name: 'structure', label: t('Structure'), value: value('structure'), hint: t('JSON'), errors })}
          <div class="actions">
            <button>Create survey</button>
            <a class="button plain" href="${NEW_PATH}">Cancel</a>
          </div>
        </form>
      </section>`,
  })
}

/**
 * Creates a survey from an uploaded structure. For an XLSForm, shows the survey into which it was converted. Keeps the
 * files of another tool, and shows what an import would do.
 */
export async function submitSurveyImport(request: SignedInRequest): Promise<PageResult> {
  const [file, responses] = ['file', 'responses'].map((name) =>
    Buffer.from(formValue(request.form, name) ?? '', 'base64'),
  ) as [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>]
  try {
    if (file.length === 0) throw problems.invalidField('file', 'blank', {}, detail('empty_file'))
    const form = responses.length === 0 ? await convertedForm(request, file) : undefined
    if (form) return form
    return await movedPage(request, responses.length > 0 ? await archiveOf({ survey: file, responses }) : file)
  } catch (error) {
    const problem = request.toProblem(error)
    if (responses.length === 0 && isOtherFile(problem)) return submitStructure(request, file)
    return rejectedPage(importPage(request, fileErrorsOf(problem)))
  }
}

/** Returns whether a file is from no other tool: it is a structure, or JSON whose error the page shows. */
const isOtherFile = (problem: unknown): boolean =>
  errorCodeOf(problem) === 'unknown_survey_file' ||
  (problem instanceof Problem && problem.errors[0]?.params?.place === 'JSON' && problem.errors[0].field === 'file')

/** Returns the code of the first error in a file. */
const errorCodeOf = (problem: unknown) => (problem instanceof Problem ? problem.errors[0]?.code : undefined)

/** Shows the survey into which an XLSForm was converted; undefined for a file of another kind. */
async function convertedForm(request: SignedInRequest, file: Buffer): Promise<PageResult | undefined> {
  if (!isWorkbook(file) && !isTextForm(file)) return undefined
  try {
    return convertedPage(request, await readXlsform(request.context, file))
  } catch (error) {
    const problem = request.toProblem(error)
    if (!['not_a_workbook', 'missing_sheet'].includes(errorCodeOf(problem) ?? '')) throw error
    // An archive and a workbook can be the export of another tool.
    return movedPage(request, file).catch((other) => {
      throw errorCodeOf(request.toProblem(other)) === 'unknown_survey_file' ? error : other
    })
  }
}

/** Creates a survey from a structure. */
async function submitStructure(request: SignedInRequest, file: Buffer): Promise<PageResult> {
  try {
    const structure = parseStructureFile(file.toString('utf8').replace(/^\uFEFF/, ''))
    return editNew(request, await request.write((context) => createSurvey(context, { structure, unpublished: true })))
  } catch (error) {
    return rejectedPage(importPage(request, fileErrorsOf(request.toProblem(error))))
  }
}

/** Keeps the files of another tool, and opens the page that shows what an import would do. */
async function movedPage(request: SignedInRequest, upload: Buffer): Promise<PageResult> {
  return { redirect: `${NEW_PATH}import/${await keepForImport(request, upload)}/` }
}

/** Returns the errors of the form. Reports errors in a part of the upload as errors of the field that has the part. */
function fileErrorsOf(error: unknown): FormErrors {
  const isOfPart = error instanceof Problem && ['invalid_xlsform', 'invalid_import'].includes(error.code)
  const [first] = isOfPart ? error.errors : []
  if (!first || first.field === 'file') return fieldErrorsOf(error, ['file'])
  if (first.field === 'survey' && error instanceof Problem && error.code === 'invalid_import')
    return { errors: new Map([['file', errorText(first)]]), general: undefined }
  if (first.field === 'responses') return { errors: new Map([['responses', errorText(first)]]), general: undefined }
  if (error instanceof Problem && error.code === 'invalid_xlsform')
    return {
      errors: new Map([
        ['file', t('The sheet “{field}” {message}', { field: first.field, message: errorText(first) })],
      ]),
      general: undefined,
    }
  const message = t('The file “{field}” {message}', { field: first.field, message: errorText(first) })
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

/**
 * Shows the survey into which an XLSForm was converted, and what was left out or changed. Nothing is stored until the
 * user creates the survey.
 */
function convertedPage(request: SignedInRequest, { structure, issues }: ConvertedForm): PageResult {
  const questions = structure.form.flatMap(({ children }) => children)
  const shown = questions.filter(({ idname }) => typeOf(kindOf(idname))?.fieldType !== null).length
  const summary = t('{questions} on {pages}, in {languages}.', {
    questions: pluralize(shown, 'question'),
    pages: pluralize(structure.form.length, 'page'),
    languages: pluralize(structure.languages.length, 'language'),
  })
  return request.render({
    title: t('Check the import'),
    beforeHeading: backLink(`${NEW_PATH}import/`, t('Import a file')),
    content: html`
      <section class="card start" aria-labelledby="result">
        <h2 id="result">${titleOf(structure)}</h2>
        <p>
          ${summary} ${
            issues.length === 0
              ? t('Everything was converted.')
              : issues.length === 1
                ? t('1 part of the form was left out or changed: see below.')
                : t('{count} parts of the form were left out or changed: see below.', { count: issues.length })
          }
        </p>
        <form method="post" action="${NEW_PATH}">
          ${csrfField(request.csrf)}
          <input type="hidden" name="structure" value="${JSON.stringify(structure)}">
          ${field({ name: 'name', label: t('Name'), value: titleOf(structure) })}
          <div class="actions">
            <button class="primary">Create survey</button>
            <a class="button plain" href="${NEW_PATH}">Cancel</a>
          </div>
        </form>
      </section>
      ${issues.length > 0 && issuesView(issues)}`,
  })
}

const issuesView = (issues: readonly Issue[]): Html =>
  html`
    <h2 id="issues">Left out or changed</h2>
    <div class="scroll" role="region" aria-labelledby="issues" tabindex="0">
      <table class="sheet issues">
        <thead>
          <tr>
            <th scope="col">Sheet</th>
            <th scope="col">Cell</th>
            <th scope="col">Content</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          ${issues.map(
            (issue) =>
              html`<tr>
                <td data-title="${t('Sheet')}">${issue.sheet}</td>
                <td data-title="${t('Cell')}">${issue.column ?? ''}${issue.row ?? ''}</td>
                <td data-title="${t('Content')}">${issue.value !== null && html`<code>${issue.value}</code>`}</td>
                <td data-title="${t('What happened')}"><span>${issueText(issue)}</span></td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`
