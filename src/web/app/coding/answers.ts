import {
  type AnswerCategories,
  type AnswerName,
  type AnswerPage,
  type AnswerSearch,
  type CodedAnswer,
  type CodingChange,
  categoriesOf,
  codableFields,
  codeAnswers,
  countAnswers,
  listAnswers,
  SEARCHED_RESPONSES,
} from '../../../domain/response/coding/answers.ts'
import { type Category, listCategories } from '../../../domain/response/coding/categories.ts'
import type { Field } from '../../../domain/structure/questionnaire.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { plainText, type TextContext, titleOf } from '../../filter/fields.ts'
import { option } from '../../filter/form.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize } from '../../layout/format.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { type ResponsesRequest, readResponsesRequest } from '../responses/frame.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

const PAGE_SIZE = 25
/** Number of answers that one form codes at most. */
const MAX_ANSWERS = 1_000

/** The keys that put an answer into a category, in turn. The other letters have a meaning of their own. */
const SHORTCUTS = [...'123456789abcdefghilmopqrstvwyz']

/** The parameters of the page. */
interface Query extends AnswerSearch {
  cursor: string | undefined
}

const CODED = ['no', 'yes', 'none', 'changed'] as const

function readQuery(query: URLSearchParams): Query {
  const text = (name: string) => query.get(name)?.trim() || undefined
  const category = Number(text('category'))
  return {
    question: text('question'),
    contains: text('text')?.slice(0, 200),
    category: Number.isSafeInteger(category) && category > 0 ? category : undefined,
    coded: CODED.find((value) => value === text('coded')),
    cursor: text('cursor'),
  }
}

const codingPath = ({ listPath }: ResponsesRequest): string => `${listPath}coding/`

/** Returns the address of the page with another query. */
const pathOf = (page: ResponsesRequest, { contains, ...query }: Partial<Query>): string =>
  pathWith(codingPath(page), { text: contains, ...query })

/** Lists text answers, with buttons that put them into categories. */
export async function showCoding(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const query = readQuery(request.query)
  const { cursor, ...search } = query
  const [categories, answers, found] = await Promise.all([
    listCategories(page.context, page.survey.id),
    listAnswers(page.context, page.survey.id, search, { cursor, limit: PAGE_SIZE }),
    countAnswers(page.context, page.survey.id, search),
  ])
  const isBlind = answers.scope.round_id > 0
  const mayCode = request.may('Correct')
  return request.render({
    title: t('Coding'),
    beforeHeading: backLink(page.listPath, t('All responses')),
    action: html`<div class="button-row">
      <a class="button small" href="${codingPath(page)}frame/">Categories, rules and rounds</a>
      <a class="button plain small" href="${codingPath(page)}words/">Frequent words</a>
    </div>`,
    scripts: ['coding.js'],
    content: html`
      ${
        isBlind &&
        html`<p class="card" role="status">
          A blind round is open: you see and change only your own coding. The owner of the survey closes the round.
        </p>`
      }
      ${searchForm(page, categories, query)}
      <p class="soft" role="status">${countText(found)}</p>
      ${
        categories.length === 0 &&
        html`<p class="card">
          There are no categories yet. <a href="${codingPath(page)}frame/">Create the first category</a>
        </p>`
      }
      ${
        mayCode &&
        categories.length > 0 &&
        answers.answers.length > 0 &&
        html`<details class="fold">
          <summary>Keyboard</summary>
          <p>
            Select an answer with Tab or a click. <kbd>J</kbd> and <kbd>K</kbd> go to the next and the previous
            answer, the key in front of a category adds or removes it, <kbd>0</kbd> marks that no
            category fits, <kbd>X</kbd> selects the answer for several at once, and <kbd>U</kbd> undoes the last
            change.
          </p>
        </details>`
      }
      ${
        answers.answers.length === 0
          ? html`<p class="card">
            ${answers.cursor ? t('No answers match among the responses searched so far.') : t('No answers match.')}
          </p>`
          : html`<ol class="coding" data-coding>
            ${answers.answers.map((answer) => answerView(page, answer, mayCode ? categories : [], query))}
          </ol>`
      }
      ${mayCode && answers.answers.length > 0 && categories.length > 0 && bulkForm(page, categories, query)}
      ${pagerView(page, answers, query)}`,
  })
}

const countText = ({ count, complete }: { count: number; complete: boolean }): string =>
  complete
    ? t('{answers} found', { answers: pluralize(count, 'text answer') })
    : t('At least {answers} found; only the newest responses were counted', {
        answers: pluralize(count, 'text answer'),
      })

/** Returns the title of the question of a field, with the part of the answer. */
export function fieldTitle({ question, row, type }: Field, context: TextContext): string {
  const part = row ? plainText(row.label, context) : type === 'other' ? t('other answers') : ''
  return part ? `${titleOf(question, context)} – ${part}` : titleOf(question, context)
}

/** Renders the options of a list of questions with text answers. */
export const questionOptions = ({ snapshot, textContext }: ResponsesRequest, chosen: string | undefined): Part => [
  option('', t('All questions'), chosen === undefined),
  ...codableFields(snapshot.questionnaire).map((field) =>
    option(field.key, fieldTitle(field, textContext), field.key === chosen),
  ),
]

function searchForm(page: ResponsesRequest, categories: readonly Category[], query: Query): Html {
  const codedOptions = {
    no: t('Not coded'),
    yes: t('Coded'),
    none: t('No category fits'),
    changed: t('Text changed since'),
  }
  return html`<form method="get" action="${codingPath(page)}" role="search" class="card">
    <div class="form-row">
      <div class="wide">
        <label for="text">Text</label>
        <input class="box" id="text" name="text" type="search" maxlength="200" value="${query.contains}">
      </div>
      <div class="wide">
        <label for="question">Question</label>
        <select class="box" id="question" name="question">${questionOptions(page, query.question)}</select>
      </div>
      <div>
        <label for="category">Category</label>
        <select class="box" id="category" name="category">
          ${option('', t('All'), query.category === undefined)}
          ${categories.map(({ id, name }) => option(String(id), name, id === query.category))}
        </select>
      </div>
      <div>
        <label for="coded">State</label>
        <select class="box" id="coded" name="coded">
          ${option('', t('All'), query.coded === undefined)}
          ${CODED.map((value) => option(value, codedOptions[value], value === query.coded))}
        </select>
      </div>
      <button>Search</button>
    </div>
  </form>`
}

const nameOf = ({ responseId, field }: CodedAnswer): string => `${responseId} ${field.key}`

function answerView(page: ResponsesRequest, answer: CodedAnswer, categories: readonly Category[], query: Query): Html {
  const { listPath, csrf, textContext } = page
  const id = `answer-${answer.responseId}-${answer.field.storedKey.replace(/[^a-z0-9]/gi, '_')}`
  const chosen = new Set(answer.categories)
  const number = formatNumber(answer.responseNumber)
  return html`<li class="card" id="${id}" tabindex="-1" data-answer>
    <p class="soft">
      ${
        categories.length > 0 &&
        html`<input type="checkbox" form="bulk" name="answer" value="${nameOf(answer)}"
            aria-label="Select the answer of response ${number}">`
      }
      <a href="${listPath}${answer.responseId}/">Response ${number}</a>
      ${query.question === undefined && html` · ${fieldTitle(answer.field, textContext)}`}
      ${answer.changed && html` <span class="tag open">Text changed since</span>`}
    </p>
    <p class="answer-text"${answer.language && html` lang="${answer.language}"`}>${highlighted(answer)}</p>
    ${
      categories.length > 0 &&
      html`<form method="post" action="${pathOf(page, query)}#${id}">
        ${csrfField(csrf)}
        <input type="hidden" name="answer" value="${nameOf(answer)}">
        <ul class="codes" aria-label="Categories">
          ${categories.map(({ id: category, name, colour, description }, index) => {
            const isChosen = chosen.has(category)
            return html`<li>
              <button class="code" name="${isChosen ? 'remove' : 'add'}" value="${category}"
                  aria-pressed="${isChosen ? 'true' : 'false'}"${
                    SHORTCUTS[index] && html` data-key="${SHORTCUTS[index]}"`
                  }${description && html` title="${description}"`}>
                ${SHORTCUTS[index] && html`<kbd aria-hidden="true">${SHORTCUTS[index]!.toUpperCase()}</kbd>`}
                ${swatch(colour)}${name}
              </button>
            </li>`
          })}
          <li>
            <button class="code" name="none" value="${answer.none ? '0' : '1'}" data-key="0"
                aria-pressed="${answer.none ? 'true' : 'false'}">
              <kbd aria-hidden="true">0</kbd>No category fits
            </button>
          </li>
        </ul>
        ${
          answer.changed &&
          html`<button class="quiet small" name="confirm" value="${[...chosen].join(' ') || 'none'}">
            Confirm the coding of the new text
          </button>`
        }
      </form>`
    }
  </li>`
}

/** Renders a square in the colour of a category. The colour has six hexadecimal digits. */
export const swatch = (colour: string): Html =>
  html`<svg class="swatch" width="12" height="12" aria-hidden="true">
    <rect width="12" height="12" rx="3" fill="${colour}"/>
  </svg>`

/** Renders a text with the places of the searched text. */
function highlighted({ text, highlights }: CodedAnswer): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const { start, end } of highlights) {
    parts.push(text.slice(from, start), html`<mark>${text.slice(start, end)}</mark>`)
    from = end
  }
  return [...parts, text.slice(from)]
}

/** Renders the form that codes several answers at once. */
const bulkForm = (page: ResponsesRequest, categories: readonly Category[], query: Query): Html =>
  html`<form method="post" id="bulk" action="${pathOf(page, query)}" class="card">
    ${csrfField(page.csrf)}
    <h2>Several answers</h2>
    <div class="form-row">
      <div class="wide">
        <label for="bulk-category">Category</label>
        <select class="box" id="bulk-category" name="category">
          ${categories.map(({ id, name }) => option(String(id), name, id === query.category))}
        </select>
      </div>
      <div class="wide">
        <label for="bulk-scope">Answers</label>
        <select class="box" id="bulk-scope" name="scope">
          ${option('selected', t('Selected answers'))}
          ${option('found', t('All found answers, at most {max} at once', { max: formatNumber(MAX_ANSWERS) }))}
        </select>
      </div>
      <button name="bulk" value="add">Add category</button>
      <button name="bulk" value="remove" class="plain">Remove category</button>
    </div>
  </form>`

function pagerView(page: ResponsesRequest, { cursor, answers }: AnswerPage, query: Query): Part {
  if (!cursor && !query.cursor) return null
  return html`<nav aria-label="Pages" class="pager">
    ${query.cursor && html`<a href="${pathOf(page, { ...query, cursor: undefined })}">Newest</a>`}
    ${
      cursor &&
      html`<a href="${pathOf(page, { ...query, cursor })}" rel="next">
        ${
          answers.length < PAGE_SIZE
            ? t('Search the next {responses}', { responses: pluralize(SEARCHED_RESPONSES, 'response') })
            : t('Older')
        }
      </a>`
    }
  </nav>`
}

/** Puts answers into categories or takes them out. With `quiet`, a script has sent the form and shows the result. */
export async function saveCoding(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const { form, survey } = page
  const query = readQuery(request.query)
  const { cursor: _, ...search } = query
  const bulk = formValue(form, 'bulk')
  const change = bulk ? bulkChange(bulk, form) : changeOf(form)
  const answers =
    bulk && formValue(form, 'scope') === 'found'
      ? (await listAnswers(page.context, survey.id, search, { limit: MAX_ANSWERS })).answers.map(
          ({ responseId, field }) => ({ responseId, key: field.key }),
        )
      : answersIn(formValues(form, 'answer'))
  if (answers.length === 0) {
    request.flash(t('Select at least one answer.'))
    return { redirect: pathOf(page, query) }
  }
  const before = await categoriesOf(page.context, survey.id, answers)
  await request.write((context) => codeAnswers(context, survey.id, answers, change))
  if (formValue(form, 'quiet') !== '1')
    request.flash(
      t('{answers} coded.', { answers: pluralize(answers.length, 'answer') }),
      undoOf(page, query, answers, change, before),
    )
  return { redirect: pathOf(page, query) }
}

const printName = ({ responseId, key }: AnswerName): string => `${responseId} ${key}`

/** Parses the names of answers: an ID and a response key, one a line. */
const answersIn = (values: readonly string[]): AnswerName[] =>
  values
    .flatMap((value) => value.split('\n'))
    .flatMap((line) => {
      const [, id, key] = /^(\d{1,15}) (.{1,400})$/.exec(line.trim()) ?? []
      return id === undefined ? [] : [{ responseId: Number(id), key: key! }]
    })
    .slice(0, MAX_ANSWERS)

const idsIn = (text: string | undefined): number[] => (text?.match(/\d{1,15}/g) ?? []).map(Number)

const bulkChange = (bulk: string, form: SurveyRequest['form']): CodingChange =>
  bulk === 'remove' ? { remove: idsIn(formValue(form, 'category')) } : { add: idsIn(formValue(form, 'category')) }

function changeOf(form: SurveyRequest['form']): CodingChange {
  const confirm = formValue(form, 'confirm')
  if (confirm !== undefined) return confirm === 'none' ? { none: true } : { add: idsIn(confirm) }
  const none = formValue(form, 'none')
  if (none === '1') return { none: true }
  const change = { add: idsIn(formValue(form, 'add')), remove: idsIn(formValue(form, 'remove')) }
  return none === '0' ? { ...change, none: false } : change
}

/**
 * Returns the form that reverses a change; undefined if it does not fit into a cookie. Of several answers, only those
 * that the change affected are reversed.
 */
function undoOf(
  page: ResponsesRequest,
  query: Query,
  answers: readonly AnswerName[],
  { add = [], remove = [], none }: CodingChange,
  before: (answer: AnswerName) => AnswerCategories,
): { action: string; fields: Record<string, string> } | undefined {
  const [only] = answers
  if (answers.length === 1) {
    const was = before(only!)
    const fields: Record<string, string> = was.none
      ? { none: '1' }
      : {
          add: was.categories.filter((id) => none || remove.includes(id)).join(' '),
          remove: add.filter((id) => !was.categories.includes(id)).join(' '),
          none: none ? '0' : '',
        }
    return { action: pathOf(page, query), fields: { ...fields, answer: printName(only!) } }
  }
  const [category] = [...add, ...remove]
  const affected = answers.filter((answer) => before(answer).categories.includes(category!) === remove.length > 0)
  if (affected.length === 0 || affected.length > PAGE_SIZE) return undefined
  return {
    action: pathOf(page, query),
    fields: { add: remove.join(' '), remove: add.join(' '), answer: affected.map(printName).join('\n') },
  }
}
