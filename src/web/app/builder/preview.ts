import type { FieldError } from '../../../domain/field-error.ts'
import {
  lookAtPage,
  type PageDecision,
  type Submission,
  submitPage,
} from '../../../domain/respondent/page-submission.ts'
import { pagesDone } from '../../../domain/respondent/path.ts'
import { drawKey, withGroups } from '../../../domain/structure/assignment.ts'
import { compile } from '../../../domain/structure/compile.ts'
import { firstPage, nextStep, previousPage } from '../../../domain/structure/flow.ts'
import { type NumberedStructure, numberStructure } from '../../../domain/structure/numbering.ts'
import { parseAnswers } from '../../../domain/structure/parse-answers.ts'
import type { Answers, Page, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { fromForm } from '../../../domain/structure/stored.ts'
import { normaliseStructure, type Structure } from '../../../domain/structure/structure.ts'
import { placeholderText, questionNamed } from '../../../domain/structure/text.ts'
import { membersOf, pageNodes } from '../../../domain/structure/walk.ts'
import { formValues } from '../../../domain/structure/write-answer.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import type { SurveySettings } from '../../../domain/survey/settings.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import type { TextOverrides } from '../../../domain/text/catalog.ts'
import { CORNERS, FONTS, LAYOUTS, type Theme } from '../../../domain/theme/theme.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { nextTurn } from '../../../lib/next-turn.ts'
import { setContentSecurityPolicy } from '../../csp.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { languageFor, type Translator, translatorFor } from '../../i18n/i18n.ts'
import { pageDirection, pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { htmlDocument } from '../../layout/document.ts'
import { pluralize } from '../../layout/format.ts'
import { message } from '../../layout/parts.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { fileInputName } from '../../questions/files.ts'
import { errorsByKey } from '../../questions/render-context.ts'
import { parseResponseKey } from '../../respondent/address.ts'
import { mayAdvance, renderForm } from '../../respondent/form.ts'
import {
  duplicateRankErrors,
  hiddenAnswers,
  offeredKeys,
  parseNavigation,
  readValues,
  shownQuestionIds,
} from '../../respondent/input.ts'
import { disconnectionOf } from '../../respondent/render-in-slices.ts'
import { thankYouView } from '../../respondent/theme.ts'
import { surveyPage } from '../../respondent/view.ts'
import type { SignedInRequest } from '../../session.ts'
import { parseStructureText, type StructureError } from '../structure-editor/parse-structure-text.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/**
 * Shows an unsaved structure as respondents will see it. The form of the preview contains the whole state: the
 * structure unless it is stored, the answers so far and the visited pages. Nothing is stored.
 */
export async function showPreview(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form, root } = request
  allowOwnFrames(request)
  const current = await findWorkingCopy(context, survey.id)
  const text = formValue(form, '_structure') ?? formValue(form, 'structure')
  const { settings, theme, texts } = await findSnapshot(context, survey.id, ['Edit', 'Test'])
  const { structure } = current
  return renderPreview(request, {
    text,
    structure,
    before: current,
    settings,
    theme,
    texts,
    action: `${root}edit/preview/`,
  })
}

/** The request for a preview: that of a signed-in user, or that of a person with a preview link. */
interface PreviewRequest extends Pick<PageRequest, 'ctx' | 'context' | 'query'> {
  /** The fields of the submitted form; empty for a GET request. */
  form: FormFields
  /** The CSRF token of a signed-in user. */
  csrf?: string
}

/** A structure to preview. */
interface Previewed {
  /** The text of an unsaved structure, which the form of the preview contains; undefined for a stored structure. */
  text?: string | undefined
  /** The stored structure, which is shown if there is no text. It is valid, so it is not checked again. */
  structure: Structure
  /**
   * The stored structure with its numbers. A choice of an unsaved structure gets the same `uid` as the matching stored
   * choice.
   */
  before?: NumberedStructure
  settings: Readonly<SurveySettings>
  theme: Readonly<Theme>
  /** Texts of the owner that replace default texts; if absent, all texts are the default ones. */
  texts?: TextOverrides
  /** The address of the preview. */
  action: string
  /** Renders what follows the questions of a page. Its controls belong to the form with the given ID. */
  below?: ((page: Page, formId: string) => Promise<Part>) | undefined
}

/** Renders the page that the author requested, or else the page that respondents see after they submit the form. */
export async function renderPreview(
  request: PreviewRequest,
  { text, structure, before, settings, theme, texts, action, below }: Previewed,
): Promise<PageResult> {
  const { form, ctx, csrf } = request
  const { authored, errors } = text === undefined ? { authored: structure, errors: [] } : parseStructureText(text)
  if (errors.length > 0) return { status: 422, page: previewErrorsPage(errors) }
  await nextTurn()
  const numbered = text === undefined ? structure : numberStructure(normaliseStructure(authored), before).structure
  await nextTurn()
  const q = compile(numbered)
  const language = languageFor(q, formValue(form, '_language') ?? formValue(form, '_lang'), undefined, (codes) =>
    ctx.acceptsLanguages(codes),
  )
  const key = parseResponseKey(formValue(form, '_key')) ?? drawKey(q)
  const state = {
    answers: withGroups(q, readAnswersSoFar(q, form), key.toString('hex')),
    pagepath: formValue(form, '_pagepath') || null,
  }
  const decision = decisionOf(q, state, form, language, key.toString('hex'))
  if (decision && formValue(form, '_go') === 'look') return { json: lookAtPage(q, state, decision.submission) }
  const { answers } = decision?.decision ?? state
  const pagepath = decision?.decision.change.pagepath ?? state.pagepath
  return {
    page: await previewPage({
      q,
      settings,
      theme: withStyle(theme, request.query),
      i18n: translatorFor(q, language, answers, {}, texts, (name) => missingText(q, name, language, pagepath)),
      answers,
      shown:
        requestedPage(q, authored, form, request.query.get('page')) ??
        shownAfter(q, answers, decision, key.toString('hex')),
      values: { ...formValues(q, answers, language), ...decision?.values },
      maxMegabytes: request.context.services.files.maxMegabytes,
      isGone: disconnectionOf(ctx),
      action,
      below,
      key,
      carried: {
        ...(csrf !== undefined && { _csrf: csrf }),
        ...(text !== undefined && { _structure: text }),
        _answers: JSON.stringify(answers),
        _pagepath: pagepath ?? '',
        _lang: language,
      },
    }),
  }
}

/**
 * Returns the text for a placeholder without a value. Until the page with the question that the placeholder refers to
 * is submitted, the text is the title of this question in angle quotes. Afterwards the text is empty, as it is for
 * respondents who did not answer the question.
 */
function missingText(q: Questionnaire, name: string, language: string, pagepath: string | null): string {
  const page = questionNamed(name, q)?.page
  return page !== undefined && pagesDone(pagepath).includes(page) ? '' : placeholderText(name, q, language)
}

const COLOR = /^#[0-9a-f]{6}$/i

/**
 * Returns a theme in which the valid style settings in the query replace those of the given theme. The form for the
 * theme of a survey sends unsaved style settings in the query of the preview.
 */
function withStyle(theme: Readonly<Theme>, query: URLSearchParams): Readonly<Theme> {
  const valid = (name: keyof Theme, accepted: (value: string) => boolean) => {
    const value = query.get(name) ?? ''
    return accepted(value) ? { [name]: value.toLowerCase() } : {}
  }
  return {
    ...theme,
    ...valid('accent_color', (value) => COLOR.test(value)),
    ...valid('background_color', (value) => COLOR.test(value)),
    ...valid('font', (value) => FONTS.some((font) => font === value)),
    // A chosen font replaces an inherited font file.
    ...(query.get('font') && !query.has('own_font') && { font_file: undefined }),
    ...valid('corners', (value) => CORNERS.some((corners) => corners === value)),
    ...valid('layout', (value) => LAYOUTS.some((layout) => layout === value)),
  }
}

/** Allows pages of this site to frame the preview. */
export function allowOwnFrames({ ctx }: SignedInRequest): void {
  ctx.set('X-Frame-Options', 'SAMEORIGIN')
  setContentSecurityPolicy(ctx, { 'frame-ancestors': ["'self'"] })
}

/** Returns the answers to the pages submitted so far, without the answers to removed questions. */
function readAnswersSoFar(q: Questionnaire, form: FormFields): Answers {
  const json = formValue(form, '_answers')
  if (json === undefined) return hiddenAnswers(q, new URLSearchParams(), true)
  try {
    const parsed: unknown = JSON.parse(json)
    return parseAnswers(q, membersOf(parsed), 'lenient').answers
  } catch {
    return {}
  }
}

/** Returns a dummy file key for each question for which a file is chosen, because a preview stores no files. */
const chosenFiles = ({ questions }: Page, form: FormFields): Record<string, string> =>
  Object.fromEntries(
    questions
      .flatMap(({ fields }) => fields.filter((field) => field.type === 'file' && formValue(form, fileInputName(field))))
      .map(({ storedKey }) => [storedKey, '0'.repeat(32)]),
  )

interface SubmittedPage {
  submission: Submission
  decision: PageDecision
  /** The entered values, which are shown again if the page is rejected. */
  values: Readonly<Record<string, unknown>>
}

/**
 * Returns the decision on the submitted page (whether it is accepted, and which page follows); undefined if no page was
 * submitted.
 */
function decisionOf(
  q: Questionnaire,
  state: { answers: Answers; pagepath: string | null },
  form: FormFields,
  language: string,
  seed: string,
): SubmittedPage | undefined {
  const page = q.pages[Number(formValue(form, '_page')) - 1]
  if (!page) return undefined
  const { values: entered, duplicateRanks } = readValues(page, form)
  const values = { ...entered, ...chosenFiles(page, form) }
  const errors = duplicateRankErrors(duplicateRanks)
  const submission = {
    page: page.number,
    raw: values,
    errors,
    shown: shownQuestionIds(form),
    offered: offeredKeys(form),
    go: parseNavigation(form),
    language,
    seed,
  }
  return { submission, decision: submitPage(q, state, submission), values: { ...form, ...fromForm(q, values) } }
}

/**
 * Returns the page that the author requested: the page with a given number, the page at the cursor in the JSON editor,
 * or the current page in another language.
 */
function requestedPage(
  q: Questionnaire,
  authored: unknown,
  form: FormFields,
  inQuery: string | null,
): Shown | undefined {
  const at = formValue(form, '_at')
  const requested =
    formValue(form, '_leaf') ?? (formValue(form, '_language') !== undefined ? formValue(form, '_page') : undefined)
  const number =
    at !== undefined
      ? firstOf(q, pageAt(authored, Number(at)))
      : requested === undefined && formValue(form, '_page') === undefined && inQuery !== null
        ? firstOf(q, Number(inQuery))
        : Number(requested)
  return q.pages[number - 1] ? { page: number, errors: [] } : undefined
}

/** Returns the number of the first repetition of a page of the structure, counted from 1. */
const firstOf = (q: Questionnaire, page: number): number => q.pages.find(({ at }) => at === page - 1)?.number ?? 0

/**
 * Returns the number of the page that contains an entry of the structure's member `form`. An entry is a page, or a
 * question outside of pages. Consecutive questions outside of pages become one page.
 */
function pageAt(authored: unknown, entry: number): number {
  const pages = pageNodes(membersOf(authored).form)
  return pages.findLastIndex(({ pointer }) => Number(pointer.split('/')[2]) <= entry) + 1
}

/**
 * Returns the page that follows the submitted page, the end of the survey, or the submitted page if it is shown again.
 * Returns the first page if no page was submitted.
 */
function shownAfter(q: Questionnaire, answers: Answers, decision: SubmittedPage | undefined, seed: string): Shown {
  if (!decision) return { page: firstPage(q, answers, seed), errors: [] }
  const { decision: made, submission: sent } = decision
  switch (made.next.to) {
    case 'page':
      return { page: made.next.page, errors: [] }
    case 'end':
      return { end: made.next.completed }
    case 'again':
      return { page: sent.page, errors: made.next.errors, again: true }
    default:
      return { page: sent.page, errors: [] }
  }
}

/**
 * The page that the preview shows: the number of a page, counted from 1, or the end of the survey (1 complete, 2
 * terminated). `again` is true if the submitted page is shown a second time, because it has errors or because the
 * answers make further questions visible.
 */
type Shown = { page: number; errors: readonly FieldError[]; again?: true } | { end: number }

interface Preview {
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
  below: Previewed['below']
  key: Buffer
  /** Returns whether the client has disconnected. */
  isGone: () => boolean
  /** The hidden fields of the form, which hold the state of the preview. */
  carried: Readonly<Record<string, string>>
}

/** The ID of the form that the buttons of the preview bar submit. */
const FORM_ID = 'preview'

/** Renders a page as respondents see it, below a bar with buttons for every page and language. */
async function previewPage(preview: Preview): Promise<Html> {
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
  const { q, settings, theme, i18n, answers, shown, values, maxMegabytes, action, key, carried, isGone, below } =
    preview
  const page = 'page' in shown ? q.pages[shown.page - 1] : undefined
  if (!page || 'end' in shown) return html`${endOf(preview)}${emptyForm(preview)}`
  const seed = key.toString('hex')
  const isLast = typeof nextStep(q, page.number, answers, seed) === 'string'
  const form = await renderForm({
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
    key: seed,
    action,
    carried,
    back: settings.back_button && previousPage(q, page.number, answers, seed) !== undefined,
    last: isLast,
    later: false,
    progressBar: settings.progress_bar,
    ...(theme.layout === 'question' && { oneQuestion: { advances: mayAdvance(page, settings.back_button, isLast) } }),
    id: FORM_ID,
  })
  return html`${form}${await below?.(page, FORM_ID)}`
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
      html`<li>
        <button form="${FORM_ID}" name="_leaf" value="${number}" formnovalidate
            aria-label="Page ${number}"${number === currentPage && html` aria-current="page"`}>${number}</button>
      </li>`,
  )
  const languages = q.languages.map(
    ({ code, name }) =>
      html`<li>
        <button form="${FORM_ID}" name="_language" value="${code}" lang="${code}"
            formnovalidate${code === i18n.language && html` aria-current="true"`}>${name}</button>
      </li>`,
  )
  return html`<nav class="preview-bar" aria-label="Preview" lang="${pageLanguage()}" dir="${pageDirection()}">
    <p>Preview – answers are not stored.</p>
    ${pages.length > 1 && html`<ul aria-label="Pages">${pages}</ul>`}
    ${languages.length > 1 && html`<ul aria-label="Languages">${languages}</ul>`}
  </nav>`
}

/** Renders the page that replaces the preview of an invalid structure and lists the errors of the structure. */
const previewErrorsPage = (errors: readonly StructureError[]): Html =>
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
