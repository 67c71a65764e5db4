import type { FieldError } from '../../../domain/field-error.ts'
import { nextStep, previousPage } from '../../../domain/structure/flow.ts'
import type { Answers, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import type { SurveySettings } from '../../../domain/survey/settings.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Voice } from '../../i18n/i18n.ts'
import { htmlDocument } from '../../layout/document.ts'
import { message } from '../../layout/message.ts'
import { formOf } from '../../respondent/form.ts'
import { errorsByKey } from '../../respondent/question/render-context.ts'
import { surveyPage } from '../../respondent/view.ts'
import type { StructureFault } from './read-structure.ts'

/** A page of the survey, from 1, or how it ends: 1 complete, 2 terminated. `again`: it was sent, and stays. */
export type Shown = { page: number; errors: readonly FieldError[]; again?: true } | { end: number }

export interface Preview {
  q: Questionnaire
  settings: Readonly<SurveySettings>
  voice: Voice
  answers: Answers
  shown: Shown
  /** What stands in the fields, by response key. */
  values: Readonly<Record<string, unknown>>
  action: string
  key: Buffer
  /** Whether nobody waits for the page any more. */
  isGone: () => boolean
  /** What travels with the form. */
  carried: Readonly<Record<string, string>>
}

/** The form that the buttons of the bar send, wherever they stand. */
const FORM = 'preview'

/** What the respondent would see, below a bar that leads to every page. */
export async function previewPage(preview: Preview): Promise<Html> {
  const { q, voice, shown } = preview
  const first = 'page' in shown && q.pages.length > 0 ? shown.page === 1 : undefined
  return surveyPage(
    // The bar changes the language: links would lose what is not saved.
    { q: { ...q, languages: [] }, voice, inLanguage: () => '' },
    { first, prefix: 'Preview', content: await contentOf(preview), above: barOf(preview) },
  )
}

async function contentOf(preview: Preview): Promise<Part> {
  const { q, settings, voice, answers, shown, values, action, key, carried, isGone } = preview
  const page = 'page' in shown ? q.pages[shown.page - 1] : undefined
  if (!page || 'end' in shown) return html`${endOf(preview)}${bare(preview)}`
  return formOf({
    q,
    page,
    voice,
    isGone,
    answers,
    values,
    errors: errorsByKey(shown.errors),
    more: shown.again === true && shown.errors.length === 0,
    key: key.toString('hex'),
    action,
    carried,
    back: settings.back_button && previousPage(q, page.number, answers) !== undefined,
    last: typeof nextStep(q, page.number, answers) === 'string',
    later: false,
    progressBar: settings.progress_bar,
    id: FORM,
  })
}

function endOf({ q, settings, voice, shown }: Preview): Html {
  const { words } = voice
  if (q.pages.length === 0)
    return message('No pages yet', 'A page in “form” with a question in its “children” is shown here.')
  if ('end' in shown && shown.end === 2) return message(voice.tell(words.terminatedTitle), voice.tell(words.terminated))
  return message(voice.tell(words.thankYouTitle), settings.thank_you_message || voice.tell(words.thankYou))
}

/** Where no page of the survey stands there is still something to send. */
const bare = ({ action, carried }: Preview): Html =>
  html`<form method="post" action="${action}" id="${FORM}">${Object.entries(carried).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}</form>`

/** Leads to every page without an answer to any question, and to every language. */
function barOf({ q, voice, shown }: Preview): Part {
  const here = 'page' in shown ? shown.page : undefined
  const pages = q.pages.map(
    ({ number }) =>
      html`<li><button form="${FORM}" name="_leaf" value="${number}" formnovalidate aria-label="Page ${number}"${number === here && html` aria-current="page"`}>${number}</button></li>`,
  )
  const languages = q.languages.map(
    ({ code, name }) =>
      html`<li><button form="${FORM}" name="_language" value="${code}" lang="${code}" formnovalidate${code === voice.language && html` aria-current="true"`}>${name}</button></li>`,
  )
  return html`<nav class="leaf" aria-label="Preview" lang="en" dir="ltr"><p>Nothing is stored.</p>${
    pages.length > 1 && html`<ul aria-label="Pages">${pages}</ul>`
  }${languages.length > 1 && html`<ul aria-label="Languages">${languages}</ul>`}</nav>`
}

/** Shown where the structure cannot be taken yet. */
export const previewErrorsPage = (errors: readonly StructureFault[]): Html =>
  htmlDocument({
    language: 'en',
    direction: 'ltr',
    title: 'Preview',
    body: html`<main id="main"><h1 class="hidden">Preview</h1>${message(
      'The preview waits',
      errors.length === 1
        ? 'One thing in the structure is wrong:'
        : `${errors.length} things in the structure are wrong:`,
      ...errors.map(({ line, message }) => html`Line ${line}: ${message}`),
    )}</main>`,
  })
