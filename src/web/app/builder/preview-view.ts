import type { FieldError } from '../../../domain/field-error.ts'
import { nextStep, previousPage } from '../../../domain/structure/flow.ts'
import type { Answers, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import type { SurveySettings } from '../../../domain/survey/settings.ts'
import type { Theme } from '../../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Translator } from '../../i18n/i18n.ts'
import { pageDirection, pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { htmlDocument } from '../../layout/document.ts'
import { message } from '../../layout/message.ts'
import { pluralize } from '../../layout/pluralize.ts'
import { renderForm } from '../../respondent/form.ts'
import { errorsByKey } from '../../respondent/question/render-context.ts'
import { thankYouView } from '../../respondent/theme.ts'
import { surveyPage } from '../../respondent/view.ts'
import type { StructureError } from '../structure-editor/parse-structure-text.ts'

/**
 * The page that the preview shows: the number of a page, counted from 1, or the end of the survey (1 complete, 2
 * terminated). `again` is true if the submitted page is shown a second time, because it has errors or because the
 * answers make further questions visible.
 */
export type Shown = { page: number; errors: readonly FieldError[]; again?: true } | { end: number }

export interface Preview {
  q: Questionnaire
  settings: Readonly<SurveySettings>
  theme: Readonly<Theme>
  i18n: Translator
  answers: Answers
  shown: Shown
  /** The values of the form fields, by response key (the key of an answer, such as `grid_0`). */
  values: Readonly<Record<string, unknown>>
  /** Maximum size of an uploaded file in megabytes. */
  maxMegabytes: number
  action: string
  key: Buffer
  /** Returns whether the client has disconnected. */
  isGone: () => boolean
  /** The hidden fields of the form, which hold the state of the preview. */
  carried: Readonly<Record<string, string>>
}

/** The ID of the form that the buttons of the preview bar submit. */
const FORM_ID = 'preview'

/** Renders a page as respondents see it, below a bar with buttons for every page and language. */
export async function previewPage(preview: Preview): Promise<Html> {
  const { q, theme, i18n, shown } = preview
  const first = 'page' in shown && q.pages.length > 0 ? shown.page === 1 : undefined
  return surveyPage(
    // The list of languages is empty, because links to other languages would lose the unsaved structure. Authors change
    // the language with the buttons of the bar.
    { q: { ...q, languages: [] }, theme, i18n, pathInLanguage: () => '' },
    { first, prefix: t('Preview'), content: await contentOf(preview), above: barOf(preview) },
  )
}

async function contentOf(preview: Preview): Promise<Part> {
  const { q, settings, i18n, answers, shown, values, maxMegabytes, action, key, carried, isGone } = preview
  const page = 'page' in shown ? q.pages[shown.page - 1] : undefined
  if (!page || 'end' in shown) return html`${endOf(preview)}${emptyForm(preview)}`
  return renderForm({
    q,
    page,
    i18n,
    isGone,
    answers,
    values,
    files: undefined,
    maxMegabytes,
    errors: errorsByKey(shown.errors),
    omitsExternalImages: settings.anonymous,
    more: shown.again === true && shown.errors.length === 0,
    key: key.toString('hex'),
    action,
    carried,
    back: settings.back_button && previousPage(q, page.number, answers) !== undefined,
    last: typeof nextStep(q, page.number, answers) === 'string',
    later: false,
    progressBar: settings.progress_bar,
    id: FORM_ID,
  })
}

function endOf({ q, settings, theme, i18n, shown }: Preview): Html {
  const { texts } = i18n
  if (q.pages.length === 0) return message(t('No pages yet'), t('Add a question to see a preview.'))
  if ('end' in shown && shown.end === 2) return message(i18n.text(texts.terminatedTitle), i18n.text(texts.terminated))
  return thankYouView(theme, settings.thank_you_message, i18n)
}

/** Renders a form without questions. The buttons of the bar submit it. */
const emptyForm = ({ action, carried }: Preview): Html =>
  html`<form method="post" action="${action}" id="${FORM_ID}">${Object.entries(carried).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}</form>`

/** Renders the bar with buttons for every page and language. */
function barOf({ q, i18n, shown }: Preview): Part {
  const currentPage = 'page' in shown ? shown.page : undefined
  const pages = q.pages.map(
    ({ number }) =>
      html`<li><button form="${FORM_ID}" name="_leaf" value="${number}" formnovalidate aria-label="Page ${number}"${number === currentPage && html` aria-current="page"`}>${number}</button></li>`,
  )
  const languages = q.languages.map(
    ({ code, name }) =>
      html`<li><button form="${FORM_ID}" name="_language" value="${code}" lang="${code}" formnovalidate${code === i18n.language && html` aria-current="true"`}>${name}</button></li>`,
  )
  return html`<nav class="preview-bar" aria-label="Preview" lang="${pageLanguage()}" dir="${pageDirection()}"><p>Preview. Answers are not saved.</p>${
    pages.length > 1 && html`<ul aria-label="Pages">${pages}</ul>`
  }${languages.length > 1 && html`<ul aria-label="Languages">${languages}</ul>`}</nav>`
}

/** Renders the page that replaces the preview of an invalid structure and lists the errors of the structure. */
export const previewErrorsPage = (errors: readonly StructureError[]): Html =>
  htmlDocument({
    language: pageLanguage(),
    direction: pageDirection(),
    title: t('Preview'),
    body: html`<main id="main"><h1 class="hidden">Preview</h1>${message(
      t('No preview'),
      t('Fix {errors} to see the preview:', { errors: pluralize(errors.length, 'error') }),
      ...errors.map(({ line, message }) => html`Line ${line}: ${message}`),
    )}</main>`,
  })
