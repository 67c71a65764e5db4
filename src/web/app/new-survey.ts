import { can, findAccessBySurvey } from '../../domain/group/access.ts'
import { problems } from '../../domain/problem.ts'
import { duplicateSurvey } from '../../domain/report/duplicate-survey.ts'
import { numberStructure } from '../../domain/structure/numbering.ts'
import { titleOf } from '../../domain/structure/structure.ts'
import { createSurvey, type NewSurvey } from '../../domain/survey/commands.ts'
import {
  findGalleryTemplate,
  type GalleryTemplate,
  galleryStructure,
  galleryTemplates,
} from '../../domain/survey/gallery/gallery.ts'
import { listSurveys } from '../../domain/survey/queries.ts'
import { defaultSettings } from '../../domain/survey/settings.ts'
import { listTemplates } from '../../domain/survey/templates.ts'
import { defaultTheme } from '../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'
import { alert, type FormErrors, field } from '../forms/field.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { pageLanguage } from '../i18n/page-locale.ts'
import { t } from '../i18n/t.ts'
import { pluralize } from '../layout/format.ts'
import { backLink } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { sketch, sketchSprite } from '../questions/sketches.ts'
import { parseId, type SignedInRequest } from '../session.ts'
import { allowOwnFrames, renderPreview } from './builder/preview.ts'
import { editNew, importPage, NEW_PATH, parseStructureField, SURVEYS_PATH } from './survey-import/upload.ts'

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
            ${field({
              name: 'name',
              label: t('Name'),
              value: formValue(form, 'name') ?? '',
              attributes: html` autofocus`,
              errors,
            })}
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
          <p>
            Bring a survey and its responses from another tool, such as LimeSurvey, Qualtrics or KoboToolbox, or upload
            a structure as JSON.
          </p>
          <p><a class="button plain" href="${NEW_PATH}import/">Import a file</a></p>
        </section>
      </div>
      <section class="gallery" aria-labelledby="gallery">
        <h2 id="gallery">Use a template</h2>
        <p class="soft">
          Each template is ready to send. Preview it, create a survey from it, and change any question.
        </p>
        ${sketchSprite()}
        ${galleryView(galleryTemplates().templates)}
      </section>`,
  })
}

/** Renders the templates by category, in the order of the gallery. */
const galleryView = (templates: readonly GalleryTemplate[]): Html =>
  html`${[...new Set(templates.map(({ category }) => category))].map(
    (category) =>
      html`<h3>${t(category)}</h3>
        <ul class="tiles">${templates.filter((template) => template.category === category).map(tileView)}</ul>`,
  )}`

/** Number of questions that the thumbnail of a template shows. */
const THUMBNAIL_QUESTIONS = 4

/** Renders a template with the sketches of its first questions. */
const tileView = (template: GalleryTemplate): Html =>
  html`<li class="card">
    <p class="thumbnail">
      ${template.structure.form
        .flatMap(({ children }) => children)
        .slice(0, THUMBNAIL_QUESTIONS)
        .map(({ idname }) => sketch(idname))}
    </p>
    <h4><a href="${NEW_PATH}gallery/${template.id}/">${t(template.name)}</a></h4>
    <p>${t(template.description)}</p>
    <p class="soft">${factsOf(template)}</p>
  </li>`

/** Returns the number of questions and the languages of a template. */
function factsOf({ questions, languages }: GalleryTemplate): string {
  const [first = 'en'] = languages
  const name = new Intl.DisplayNames([pageLanguage()], { type: 'language' }).of(first)
  const inLanguages = languages.length > 1 ? pluralize(languages.length, 'language') : name
  return `${pluralize(questions, 'question')} · ${inLanguages}`
}

/** Renders the menu of surveys that the user may copy. */
async function copyView({ context, csrf }: SignedInRequest): Promise<Part> {
  const { surveys } = await listSurveys(context, { order: 'newest' }, { offset: 0, limit: MAX_MENU_ENTRIES })
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
    done: (survey) => editNew(request, survey),
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
  return editNew(request, await request.write((context) => duplicateSurvey(context, id, undefined, true)))
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
