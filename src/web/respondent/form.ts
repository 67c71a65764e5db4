import { dependsOn, isFilteredOn, offerKey } from '../../domain/respondent/path.ts'
import { progress } from '../../domain/structure/flow.ts'
import { isOversized } from '../../domain/structure/outline.ts'
import { positionOf } from '../../domain/structure/page-order.ts'
import type { Answers, Page, Question, Questionnaire } from '../../domain/structure/questionnaire.ts'
import { shuffle } from '../../domain/structure/randomize.ts'
import { questionNamed } from '../../domain/structure/text.ts'
import { choicesOffered, shownQuestions, waitsFor } from '../../domain/structure/visibility.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { fill, mainForm } from '../../lib/texts.ts'
import { isAutomatic } from '../../questions/index.ts'
import type { Translator } from '../i18n/i18n.ts'
import { renderQuestion, viewOf } from '../questions/index.ts'
import type { ErrorsByKey, RenderContext, ShownFile } from '../questions/question-view.ts'
import { renderInSlices } from './render-in-slices.ts'

/** The data of the form of one survey page. */
export interface FormView {
  q: Questionnaire
  page: Page
  i18n: Translator
  /** All answers so far, which determine whether conditions are met. */
  answers: Answers
  /** The values of the form fields, by response key (the key of an answer, such as `grid_0`). */
  values: Readonly<Record<string, unknown>>
  /** The files to which the values refer, by file key; undefined if the form cannot receive files. */
  files: ReadonlyMap<string, ShownFile> | undefined
  /** The operator's limit for the size of a file in megabytes. A question can set a lower limit. */
  maxMegabytes: number
  errors: ErrorsByKey
  /** Whether images on other websites are left out, because the survey is anonymous. */
  omitsExternalImages: boolean
  /** Whether the submitted answers make further questions visible. */
  more: boolean
  /** The reason why valid answers were not stored. */
  notStored?: 'surveyChanged' | 'rateLimited' | 'uploadFailed'
  key: string
  action: string
  /** Hidden fields to submit with the page, such as the start time, which the form keeps until the response exists. */
  carried: Readonly<Record<string, string>>
  back: boolean
  last: boolean
  later: boolean
  progressBar: boolean
  /**
   * Set if the script shows one question at a time.
   * @property advances whether a choice may lead to the next page, from which the respondent can go back
   */
  oneQuestion?: { advances: boolean } | undefined
  /** Numbers of the pages that the respondent can open from this page. */
  jumps?: readonly number[]
  /** Returns whether the client has disconnected. */
  isGone: () => boolean
  /** ID of the form element, needed if a button outside the form submits it. */
  id?: string
}

const elementIds = new WeakMap<Questionnaire, ReadonlyMap<string, string>>()

/**
 * Returns a function that returns the ID of the HTML element for a response key or a question ID. The response key
 * itself cannot be the ID of the element, because it may contain any character.
 */
function elementIdsOf(q: Questionnaire): (key: string) => string {
  const ids = elementIds.get(q) ?? numberedIds(q)
  elementIds.set(q, ids)
  return (key) => ids.get(key) ?? 'q'
}

const numberedIds = (q: Questionnaire): ReadonlyMap<string, string> =>
  new Map([
    ...q.questions.map(({ id }, index) => [id, `q${index}`] as const),
    ...q.fields.map(({ key }, index) => [key, `f${index}`] as const),
  ])

const hiddenInputs = (fields: Readonly<Record<string, string>>): Part =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/**
 * Maximum number of errors in the error summary. A page can have thousands of required rows, and nobody reads so long a
 * list. Each error is also shown at its field.
 */
const MAX_SUMMARY_ERRORS = 200

/** Renders the error summary with a link to each invalid field. The summary has the focus when the page opens. */
export function errorSummary({
  i18n,
  errors,
  q,
  more,
  notStored,
}: Pick<FormView, 'i18n' | 'errors' | 'q' | 'more' | 'notStored'>): Part {
  const idOf = elementIdsOf(q)
  const noticeText = notStored ? i18n.texts[notStored] : more && i18n.texts.moreQuestions
  if (errors.size === 0)
    return (
      noticeText &&
      html`<div class="notice" role="status" tabindex="-1" autofocus><p>${i18n.text(noticeText)}</p></div>`
    )
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
    <h2>${i18n.text(i18n.texts.errorTitle)}</h2>
    <ul>
      ${inOrder(errors, q)
        .slice(0, MAX_SUMMARY_ERRORS)
        .map(([key, fieldError]) => {
          const field = q.byKey.get(key)
          const titles = [(field?.question ?? q.byId.get(key))?.title, field?.row?.label].filter(
            (title) => i18n.plainText(title) !== '',
          )
          return html`<li>
            <a href="#${idOf(key)}">
              ${titles.map((title) => html`${i18n.surveyText(title)} – `)}
              ${i18n.errorText(fieldError)}
            </a>
          </li>`
        })}
    </ul>
  </div>`
}

/**
 * Sorts errors in the order of their fields on the page. Uploaded files are checked before the other fields, so their
 * errors would otherwise come first.
 */
function inOrder(errors: FormView['errors'], q: Questionnaire) {
  // An error of a grid as a whole has the ID of the question, and comes before those of the rows.
  const positions = new Map(
    q.fields.flatMap(({ key, row, question }, index) => [
      ...(row?.index === 0 ? [[question.id, index] as const] : []),
      [key, index] as const,
    ]),
  )
  return [...errors].toSorted(([one], [other]) => (positions.get(one) ?? -1) - (positions.get(other) ?? -1))
}

function progressBar({ q, page, i18n, key, progressBar, oneQuestion }: FormView): Part {
  const hasPages = q.pages.length > 1
  if (!progressBar || !(hasPages || oneQuestion)) return null
  const percent = Math.round(progress(q, page.number, key) * 100)
  const { before, of } = oneQuestion ? questionNumbers(q, page, key) : { before: 0, of: 0 }
  const position = { n: positionOf(q, page.number, key), of: q.pages.length }
  const byQuestion =
    of > 0 && html` data-before="${before}" data-of="${of}" data-text="${mainForm(i18n.texts.questionProgress)}"`
  // The script shows the progress of a single page.
  return html`<div class="progress"${byQuestion}${!hasPages && html` hidden`}>
    <label for="progress">${i18n.text(i18n.texts.progress, position)}</label>
    <progress id="progress" max="100" value="${percent}">${percent}%</progress>
  </div>`
}

const askedCounts = new WeakMap<Questionnaire, readonly number[]>()

/** Returns the number of questions before a page, in the order of the respondent, and the number of all questions. */
function questionNumbers(q: Questionnaire, page: Page, key: string): { before: number; of: number } {
  const isAsked = ({ kind, fields }: Question) => fields.length > 0 && !isAutomatic(kind)
  const counts = askedCounts.get(q) ?? q.pages.map(({ questions }) => questions.filter(isAsked).length)
  askedCounts.set(q, counts)
  const position = positionOf(q, page.number, key)
  const sum = (isCounted: (number: number) => boolean) =>
    counts.reduce((total, count, index) => total + (isCounted(index + 1) ? count : 0), 0)
  return { before: sum((number) => positionOf(q, number, key) < position), of: sum(() => true) }
}

/**
 * Returns whether a choice may lead to the next page: if it is not the end of the survey, and the respondent can go
 * back.
 */
export const mayAdvance = ({ skips }: Page, hasBackButton: boolean, isLast: boolean): boolean =>
  hasBackButton && !isLast && skips.every(({ to }) => typeof to === 'number')

/**
 * Renders a question. A question whose condition depends on answers on the same page is hidden and disabled until the
 * condition is met. Then the script shows the question. Without the script, the server shows the question after the
 * page is submitted. A question whose choices depend on an unanswered question of the page says so.
 */
function questionBlock(view: QuestionsView, context: RenderContext, question: Question, visible: boolean): Part {
  const depends = dependsOn(question, view.q, view.page.number)
  if (isAutomatic(question.kind) || !(visible || depends)) return null
  const waits = visible ? undefined : waitsFor(view.q, question, view.answers)
  const content = html`
    <input type="hidden" name="_shown" value="${question.id}">
    ${context.isLive && html`<input type="hidden" name="_offered" value="${offerKey(context.offered)} ${question.id}">`}
    ${renderQuestion(context)}
    ${context.isLive && waitingHints(view, question, waits)}`
  const keys = [question.id, ...question.fields.map(({ key }) => key)]
  const invalid = keys.some((key) => view.errors.has(key)) && ' invalid'
  const classes = `is-${question.kind} span-${spanOf(question)}`
  if (!depends) return html`<div class="question ${classes}${invalid}">${content}</div>`
  return html`<fieldset role="presentation" class="question ${classes}${invalid}"
      data-question="${question.id}"${!(visible || waits) && html` hidden`}${!visible && html` disabled`}>
    ${content}
  </fieldset>`
}

/** Renders which question must be answered first, hidden for each question of the page that is not the first one. */
function waitingHints(
  { q, page, i18n }: QuestionsView,
  { choiceFilter = [] }: Question,
  waits: Question | undefined,
): Part {
  const filters = new Set(choiceFilter.map(({ question }) => questionNamed(question, q)))
  return [...filters].map(
    (first) =>
      first?.page === page.number &&
      html`<p class="hint" data-waiting="${first.id}"${first !== waits && html` hidden`}>
        ${i18n.text(i18n.texts.answerFirst, { question: i18n.plainText(first.title) || first.id })}
      </p>`,
  )
}

/**
 * Renders buttons that lead to other pages. They are buttons and not links, because buttons submit the entered values.
 * They are at the end of the form, because the Enter key presses the first button of a form.
 */
function pageList({ q, page, i18n, key, jumps = [] }: FormView): Part {
  if (jumps.length < 2) return null
  const { texts } = i18n
  const name = (number: number) => {
    const title = i18n.plainText(q.pages[number - 1]?.title)
    return fill(texts.progress, { n: positionOf(q, number, key), of: q.pages.length }) + (title && `: ${title}`)
  }
  return html`<nav class="jumps" aria-label="${texts.pages}">
    <p>${i18n.text(texts.pages)}</p>
    <ol>
      ${jumps.map(
        (number) =>
          html`<li>
            ${
              number === page.number
                ? html`<span class="current" aria-current="page" aria-label="${name(number)}">
                  ${positionOf(q, number, key)}
                </span>`
                : html`<button name="_go" value="${number}" aria-label="${name(number)}" title="${name(number)}">
                  ${positionOf(q, number, key)}
                </button>`
            }
          </li>`,
      )}
    </ol>
  </nav>`
}

/**
 * Renders the form of one page.
 * @throws {ClientDisconnected} as soon as the client has disconnected
 */
export async function renderForm(view: FormView): Promise<Html> {
  const { page, i18n, key, action, carried, back, last, later, id } = view
  const uploads =
    view.files !== undefined && page.questions.some(({ fields }) => fields.some(({ type }) => type === 'file'))
  const { texts } = i18n
  const questions = await renderQuestions(view)
  return html`
    ${progressBar(view)}
    ${errorSummary(view)}
    <form method="post"
        action="${action}"${uploads && html` enctype="multipart/form-data"`}${id !== undefined && html` id="${id}"`}${
          view.oneQuestion?.advances && html` data-advances`
        }
        novalidate data-offline="${i18n.texts.offline}" data-other-tab="${i18n.texts.otherTab}"
        data-newest="${i18n.texts.showNewest}">
      ${hiddenInputs({ _key: key, _page: String(page.number), ...carried })}
      ${questions}
      <div class="actions">
        <button class="primary" name="_go" value="next">${i18n.text(last ? texts.submit : texts.next)}</button>
        ${back && html`<button name="_go" value="back">${i18n.text(texts.back)}</button>`}
        ${later && html`<button class="quiet" name="_go" value="later">${i18n.text(texts.saveForLater)}</button>`}
      </div>
      ${pageList(view)}
    </form>`
}

/** What the questions of a page need of the view of its form. */
export type QuestionsView = Pick<
  FormView,
  | 'q'
  | 'page'
  | 'i18n'
  | 'answers'
  | 'values'
  | 'files'
  | 'maxMegabytes'
  | 'errors'
  | 'omitsExternalImages'
  | 'key'
  | 'isGone'
>

/**
 * Renders the title, the description and the questions of a page.
 * @param isLocked returns whether a question is shown with its answer, which cannot be changed
 * @throws {ClientDisconnected} as soon as the client has disconnected
 */
export async function renderQuestions(
  view: QuestionsView,
  isLocked: (question: Question) => boolean = () => false,
): Promise<Html> {
  const { q, page, i18n, values, errors, key } = view
  const idOf = elementIdsOf(q)
  const oversized = isOversized(page.questions)
  const context = (question: Question): RenderContext => ({
    question,
    view: viewOf(question.kind),
    q,
    i18n,
    values,
    files: view.files,
    maxMegabytes: view.maxMegabytes,
    errors,
    seed: key,
    idOf,
    oversized,
    offered: choicesOffered(q, question, view.answers),
    isLive: isFilteredOn(question, q, page.number),
    omitsExternalImages: view.omitsExternalImages,
  })
  const questions = page.randomize ? shuffle(page.questions, key) : page.questions
  const shown = new Set(shownQuestions(q, page.number, view.answers))
  const block = (question: Question) => {
    const drawn = questionBlock(view, context(question), question, shown.has(question))
    return isLocked(question) ? html`<fieldset disabled>${drawn}</fieldset>` : drawn
  }
  const blocks = await renderInSlices(questions, block, view.isGone)
  return html`
    ${i18n.plainText(page.title) !== '' && html`<h2 class="page-title">${i18n.surveyText(page.title)}</h2>`}
    ${i18n.plainText(page.description) !== '' && html`<p class="description">${i18n.surveyText(page.description)}</p>`}
    ${hasColumns(page) ? html`<div class="columns">${blocks}</div>` : blocks}`
}

/** Number of columns in the CSS grid of a page (`question.css`). */
const GRID_COLUMNS = 12
/** Minimum number of grid columns of a question. Narrower fields are too small to read or to type in. */
const MIN_SPAN = 3

/** Returns the number of grid columns that a question spans on a wide screen. */
function spanOf(question: Question): number {
  const { kind, width = 100 } = question
  const { isFullWidth, minSpan } = viewOf(kind)
  if (isFullWidth) return GRID_COLUMNS
  return Math.min(GRID_COLUMNS, Math.max(minSpan?.(question) ?? MIN_SPAN, Math.round((width * GRID_COLUMNS) / 100)))
}

/** Returns whether a page can have questions side by side. */
const hasColumns = ({ questions }: Page): boolean => questions.some((question) => spanOf(question) < GRID_COLUMNS)
