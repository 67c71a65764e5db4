import { detail } from '../../domain/error-details.ts'
import { can, findAccessBySurvey } from '../../domain/group/access.ts'
import { Problem, problems } from '../../domain/problem.ts'
import { duplicateSurvey } from '../../domain/report/duplicate-survey.ts'
import { numberStructure } from '../../domain/structure/numbering.ts'
import { titleOf } from '../../domain/structure/structure.ts'
import type { Issue } from '../../domain/structure/xlsform/issues.ts'
import { type ConvertedForm, readXlsform } from '../../domain/structure/xlsform/read.ts'
import { isTextForm } from '../../domain/structure/xlsform/text-form.ts'
import { createSurvey, type NewSurvey } from '../../domain/survey/commands.ts'
import {
  findGalleryTemplate,
  type GalleryTemplate,
  galleryStructure,
  galleryTemplates,
} from '../../domain/survey/gallery/gallery.ts'
import { listSurveys } from '../../domain/survey/queries.ts'
import { defaultSettings } from '../../domain/survey/settings.ts'
import type { Survey } from '../../domain/survey/survey.ts'
import { listTemplates } from '../../domain/survey/templates.ts'
import { defaultTheme } from '../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { exceededJsonLimit, MAX_DEPTH, MAX_VALUES, syntaxErrorsOf } from '../../lib/json.ts'
import { XLSX_TYPE } from '../../lib/xlsx/media-type.ts'
import { isWorkbook } from '../../lib/xlsx/workbook.ts'
import { kindOf, typeOf } from '../../questions/index.ts'
import { csrfField } from '../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf, labelled, textArea } from '../forms/field.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import { formPage, rejectedPage } from '../forms/form-page.ts'
import { errorText, issueText } from '../i18n/error-texts.ts'
import { pageLanguage } from '../i18n/page-locale.ts'
import { t } from '../i18n/t.ts'
import { pluralize } from '../layout/format.ts'
import { backLink } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { parseId, type SignedInRequest } from '../session.ts'
import { allowOwnFrames, renderPreview } from './builder/preview.ts'
import { surveyRoot } from './surveys/survey-page.ts'

const SURVEYS_PATH = '/account/surveys/'
const NEW_PATH = `${SURVEYS_PATH}new/`
/** Maximum number of entries in the menu of surveys, and in the menu of templates. */
const MAX_MENU_ENTRIES = 100

export const showNewSurvey = (request: SignedInRequest): Promise<PageResult> => newSurveyPage(request)

/**
 * Shows the ways to create a survey: as a blank survey, from the gallery, from a survey or template of the user, or
 * from a file.
 */
async function newSurveyPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { csrf, form } = request
  const errors = rejected?.errors
  return request.render({
    title: t('New survey'),
    content: html`
      <div class="starts">
        <section class="card" aria-labelledby="blank">
          <h2 id="blank">Start from scratch</h2>
          ${alert(rejected?.general)}
          <form method="post" action="${NEW_PATH}">
            ${csrfField(csrf)}
            ${field({ name: 'name', label: t('Name'), value: formValue(form, 'name') ?? '', errors })}
            <div class="actions">
              <button class="primary">Create survey</button>
              <a class="button plain" href="${SURVEYS_PATH}">Cancel</a>
            </div>
          </form>
        </section>
        <section class="card" aria-labelledby="other">
          <h2 id="other">Use what you have</h2>
          ${await copyView(request)}
          ${await ownTemplateView(request)}
          <p>Upload an XLSForm (.xlsx) from ODK, KoboToolbox or another tool, or a structure as JSON.</p>
          <p><a class="button plain" href="${NEW_PATH}import/">Import a file</a></p>
        </section>
      </div>
      <section class="gallery" aria-labelledby="gallery">
        <h2 id="gallery">Use a template</h2>
        <p class="soft">
          Each template is ready to send. Preview it, create a survey from it, and change any question.
        </p>
        <ul class="tiles">${galleryTemplates().templates.map(tileView)}</ul>
      </section>`,
  })
}

const tileView = (template: GalleryTemplate): Html =>
  html`<li class="card">
    <h3><a href="${NEW_PATH}gallery/${template.id}/">${t(template.name)}</a></h3>
    <p>${t(template.description)}</p>
    <p class="soft">${factsOf(template)}</p>
  </li>`

/** Returns the category, the number of questions and the languages of a template. */
function factsOf({ category, questions, languages }: GalleryTemplate): string {
  const [first = 'en'] = languages
  const name = new Intl.DisplayNames([pageLanguage()], { type: 'language' }).of(first)
  const inLanguages = languages.length > 1 ? pluralize(languages.length, 'language') : name
  return `${t(category)} · ${pluralize(questions, 'question')} · ${inLanguages}`
}

/** Renders the menu of surveys that the user may copy. */
async function copyView({ context, csrf }: SignedInRequest): Promise<Part> {
  const { surveys } = await listSurveys(context, { newestFirst: true }, { offset: 0, limit: MAX_MENU_ENTRIES })
  const accesses = await findAccessBySurvey(
    context,
    surveys.map(({ id }) => id),
  )
  const copyable = surveys.filter(({ id }) => can(accesses.get(id), 'Edit'))
  return (
    copyable.length > 0 &&
    html`<form method="post" action="${NEW_PATH}copy/">
      ${csrfField(csrf)}
      <div class="field">
        <label for="survey">Copy a survey</label>
        <p class="hint" id="survey-hint">Questions, settings, reports and tags are copied. Responses are not.</p>
        <div class="with-button">
          <select class="box" id="survey" name="survey" aria-describedby="survey-hint">
            ${copyable.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
          </select>
          <button>Copy survey</button>
        </div>
      </div>
    </form>`
  )
}

/** Renders the menu of templates that programs have saved for this account. */
async function ownTemplateView({ context, csrf }: SignedInRequest): Promise<Part> {
  const { templates } = await listTemplates(context, { offset: 0, limit: MAX_MENU_ENTRIES })
  return (
    templates.length > 0 &&
    html`<form method="post" action="${NEW_PATH}">
      ${csrfField(csrf)}
      <div class="field">
        <label for="template">Use your own template</label>
        <div class="with-button">
          <select class="box" id="template" name="template">
            ${templates.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
          </select>
          <button>Use template</button>
        </div>
      </div>
    </form>`
  )
}

/**
 * Creates a survey from a submitted form, and opens the survey in the builder. The new survey is blank, or based on a
 * template or on an entered structure. Respondents cannot take the survey until it is published.
 */
export const submitNewSurvey = (request: SignedInRequest): Promise<PageResult> =>
  formPage(request, {
    fields: ['name', 'structure'],
    act: (context) => createSurvey(context, { ...parseNewSurvey(request.form), unpublished: true }),
    view: (rejected) =>
      request.form.structure === undefined ? newSurveyPage(request, rejected) : importPage(request, rejected),
    done: (survey) => edit(request, survey),
  })

function parseNewSurvey(form: FormFields): NewSurvey {
  const structure = parseStructureField(formValue(form, 'structure') ?? '')
  if (structure === undefined && form.structure !== undefined) throw problems.invalidField('structure', 'blank')
  const template = parseId(formValue(form, 'template')) || undefined
  const galleryTemplate = formValue(form, 'gallery_template')
  const enteredName = (formValue(form, 'name') ?? '').trim()
  const isNameNeeded = structure === undefined && template === undefined && galleryTemplate === undefined
  const name = enteredName || isNameNeeded ? enteredName : undefined
  return { name, structure, template, galleryTemplate, language: pageLanguage() }
}

/** Copies a survey and opens the copy in the builder. */
export async function copyToNewSurvey(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(formValue(request.form, 'survey'))
  return edit(request, await request.write((context) => duplicateSurvey(context, id, undefined, true)))
}

function edit(request: SignedInRequest, { id, name }: Pick<Survey, 'id' | 'name'>): PageResult {
  request.flash(t('“{name}” created. Respondents can take it after you publish it.', { name }))
  return { redirect: `${surveyRoot(id)}edit/` }
}

/**
 * Parses the form field that contains a structure as JSON.
 * @returns undefined if the field is blank
 * @throws {Problem} `invalid_request` for invalid JSON, and for JSON with too many levels or values
 */
function parseStructureField(text: string): unknown {
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

const templateOf = ({ params }: SignedInRequest): GalleryTemplate => findGalleryTemplate(params.template ?? '')

/** Shows a template of the gallery beside its preview. */
export async function showGalleryTemplate(request: SignedInRequest): Promise<PageResult> {
  const template = templateOf(request)
  const { id, name, description } = template
  const structure = galleryStructure(template, pageLanguage())
  return request.render({
    title: t(name),
    beforeHeading: backLink(NEW_PATH, t('All templates')),
    content: html`<div class="workbench">
      <section class="card start" aria-labelledby="use">
        <h2 id="use">Use this template</h2>
        <p>${t(description)}</p>
        <p class="soft">${factsOf(template)}</p>
        <form method="post" action="${NEW_PATH}">
          ${csrfField(request.csrf)}
          <input type="hidden" name="gallery_template" value="${id}">
          ${field({
            name: 'name',
            label: t('Name'),
            value: titleOf(structure),
            hint: t('You can change the name and all questions later.'),
          })}
          <div class="actions">
            <button class="primary">Create survey</button>
            <a class="button plain" href="${NEW_PATH}">Cancel</a>
          </div>
        </form>
      </section>
      <section class="card preview" aria-labelledby="preview-title">
        <h2 id="preview-title">Preview</h2>
        <iframe name="preview" title="Survey preview" src="${NEW_PATH}gallery/${id}/preview/"></iframe>
      </section>
    </div>`,
  })
}

/** Shows a template of the gallery as respondents see it. Nothing is stored. */
export async function previewGalleryTemplate(request: SignedInRequest): Promise<PageResult> {
  allowOwnFrames(request)
  const template = templateOf(request)
  const { id } = template
  const structure = galleryStructure(template, pageLanguage())
  return renderPreview(request, {
    structure: numberStructure(structure).structure,
    settings: defaultSettings,
    theme: defaultTheme,
    action: `${NEW_PATH}gallery/${id}/preview/`,
  })
}

export const showSurveyImport = async (request: SignedInRequest): Promise<PageResult> => importPage(request)

/** Shows the form that uploads a file, and the form into which users paste a structure as text. */
function importPage(request: SignedInRequest, rejected?: FormErrors): PageResult {
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
        <form method="post" action="${NEW_PATH}import/" enctype="multipart/form-data" data-busy="Reading the file…">
          ${csrfField(csrf)}
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
              html`
                <input class="box" id="file" name="file" type="file"
                    accept=".xlsx,.csv,.md,.json,application/json,text/csv,text/markdown,${XLSX_TYPE}"
                    required${ariaAttributes}>`,
          )}
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
            <button class="primary">Create survey</button>
            <a class="button plain" href="${NEW_PATH}">Cancel</a>
          </div>
        </form>
      </section>`,
  })
}

/** Creates a survey from an uploaded structure. For an XLSForm, shows the survey into which it was converted. */
export async function submitSurveyImport(request: SignedInRequest): Promise<PageResult> {
  const file = Buffer.from(formValue(request.form, 'file') ?? '', 'base64')
  try {
    if (file.length === 0) throw problems.invalidField('file', 'blank', {}, detail('empty_file'))
    if (isWorkbook(file) || isTextForm(file)) return convertedPage(request, await readXlsform(request.context, file))
    const text = file.toString('utf8').replace(/^\uFEFF/, '')
    const structure = parseStructureFile(text)
    return edit(request, await request.write((context) => createSurvey(context, { structure, unpublished: true })))
  } catch (error) {
    return rejectedPage(importPage(request, fileErrorsOf(request.toProblem(error))))
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
