import { can, findAccessBySurvey } from '../../../domain/group/access.ts'
import { type GalleryTemplate, galleryTemplates } from '../../../domain/survey/gallery/gallery.ts'
import { listSurveys } from '../../../domain/survey/queries.ts'
import { listTemplates } from '../../../domain/survey/templates.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'

export const SURVEYS_PATH = '/account/surveys/'
export const NEW_PATH = `${SURVEYS_PATH}new/`
/** Maximum number of entries in the menu of surveys, and in the menu of templates. */
const MAX_MENU_ENTRIES = 100

export const showNewSurvey = (request: SignedInRequest): Promise<PageResult> => newSurveyPage(request)

/**
 * Shows the ways to create a survey: as a blank survey, from the gallery, from a survey or template of the user, or
 * from a file.
 */
export async function newSurveyPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { csrf, form } = request
  const errors = rejected?.errors ?? new Map()
  return request.render(
    {
      title: t('New survey'),
      content: html`<div class="starts"><section class="card" aria-labelledby="blank"><h2 id="blank">Start from scratch</h2>${alert(rejected?.general)}<form method="post" action="${NEW_PATH}">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: formValue(form, 'name') ?? '', errors })}
<div class="actions"><button class="primary">Create survey</button><a class="button plain" href="${SURVEYS_PATH}">Cancel</a></div></form></section>
<section class="card" aria-labelledby="other"><h2 id="other">Use what you have</h2>${await copyView(request)}${await ownTemplateView(request)}
<p>Upload an XLSForm (.xlsx) from ODK, KoboToolbox or another tool, or a structure as JSON.</p><p><a class="button plain" href="${NEW_PATH}import/">Import a file</a></p></section></div>
<section class="gallery" aria-labelledby="gallery"><h2 id="gallery">Use a template</h2><p class="soft">Each template is ready to send. Preview it, create a survey from it, and change any question.</p><ul class="tiles">${galleryTemplates().templates.map(tileView)}</ul></section>`,
    },
    rejected ? 422 : 200,
  )
}

const tileView = (template: GalleryTemplate): Html =>
  html`<li class="card"><h3><a href="${NEW_PATH}gallery/${template.id}/">${t(template.name)}</a></h3><p>${t(template.description)}</p><p class="soft">${factsOf(template)}</p></li>`

/** Returns the category, the number of questions and the languages of a template. */
export function factsOf({ category, questions, languages }: GalleryTemplate): string {
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
    html`<form method="post" action="${NEW_PATH}copy/">${csrfField(csrf)}
<div class="field"><label for="survey">Copy a survey</label><p class="hint" id="survey-hint">Questions, settings, reports and tags are copied. Responses are not.</p><div class="with-button"><select class="box" id="survey" name="survey" aria-describedby="survey-hint">${copyable.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select><button>Copy survey</button></div></div></form>`
  )
}

/** Renders the menu of templates that programs have saved for this account. */
async function ownTemplateView({ context, csrf }: SignedInRequest): Promise<Part> {
  const { templates } = await listTemplates(context, { offset: 0, limit: MAX_MENU_ENTRIES })
  return (
    templates.length > 0 &&
    html`<form method="post" action="${NEW_PATH}">${csrfField(csrf)}
<div class="field"><label for="template">Use your own template</label><div class="with-button"><select class="box" id="template" name="template">${templates.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select><button>Use template</button></div></div></form>`
  )
}
