import { showsIdentity } from '../../../domain/response/filter/identity.ts'
import type { StoredResponse } from '../../../domain/response/filter/where.ts'
import { answerFields, answerTo, isAnswer, isList } from '../../../domain/structure/answered.ts'
import { fileKeysOf } from '../../../domain/structure/file-answer.ts'
import { type MetaKey, metaLabel } from '../../../domain/structure/meta-fields.ts'
import type { Answer, Answers, Field, Question } from '../../../domain/structure/questionnaire.ts'
import { labelOf, pipe, renderPlaceholders, textIn } from '../../../domain/structure/text.ts'
import { hasNotation, writeValue } from '../../../domain/structure/write-answer.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { typeOf } from '../../../questions/index.ts'
import { type TextContext, titleOf } from '../../filter/fields.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { statusTag } from './frame.ts'

/** A column of the list of responses, except the first column, which shows the response number. */
export interface Column {
  name: string
  title: string
  /** The language of the title and the cells; undefined if their texts do not come from the survey. */
  lang?: string
  cell(row: StoredResponse): Part
}

/** Maximum length of a text in a cell. Longer texts are truncated; the page of the response shows them in full. */
const MAX_CELL_CHARACTERS = 90
const MAX_TITLE_CHARACTERS = 60
const DEFAULT_QUESTIONS = 4

const meta = (name: MetaKey, cell: Column['cell']): Column => ({ name, title: t(metaLabel(name)), cell })

/**
 * Returns the columns with data about the response, such as its status, in the order of the form that selects columns.
 */
function metaColumns(snapshot: SurveySnapshot): Column[] {
  const personal = (row: StoredResponse, text: string | null) => showsIdentity(snapshot, row.collector_id) && text
  return [
    meta('_created_at', (row) => timeTag(new Date(row.created_at))),
    // Most responses are complete, so only the others are conspicuous.
    meta('_completed', (row) => (row.completed === 1 ? t('Complete') : statusTag(row.completed))),
    meta('_collector', (row) => collectorName(snapshot, row.collector_id)),
    meta('_updated_at', (row) => timeTag(new Date(row.updated_at))),
    meta('_language', (row) => row.language),
    meta('_completion_time', (row) => row.completion_time),
    meta('_weighted_score', (row) => row.weighted_score),
    meta('_invite_name', (row) => personal(row, row.invite_name)),
    meta('_invite_email', (row) => personal(row, row.invite_email)),
    meta('_invite_code', (row) => personal(row, row.invite_code)),
  ]
}

/** Returns the name of a collector, or the ID of a deleted collector. */
export const collectorName = ({ collectors }: SurveySnapshot, id: number): string =>
  collectors.get(id)?.name ?? t('Collector {id}', { id })

/** Returns the questions that accept an answer. */
export const answerableQuestions = ({ questionnaire }: SurveySnapshot): Question[] =>
  questionnaire.questions.filter(({ fields }) => fields.length > 0)

const questionColumn = (question: Question, context: TextContext): Column => ({
  name: question.id,
  title: truncate(titleOf(question, context), MAX_TITLE_CHARACTERS),
  lang: context.language,
  cell: ({ answers }) => truncate(answerLine(question, answers as Answers, context), MAX_CELL_CHARACTERS),
})

/**
 * Returns all columns, and the columns that the list shows.
 * @param selected names of the columns to show; an empty list selects the default columns
 */
export function columnsOf(
  snapshot: SurveySnapshot,
  selected: readonly string[],
  context: TextContext,
): { meta: readonly Column[]; questions: readonly Column[]; shown: readonly Column[] } {
  const metas = metaColumns(snapshot)
  const questions = answerableQuestions(snapshot).map((question) => questionColumn(question, context))
  const all = [...metas, ...questions]
  const names = new Set(selected)
  const shown = all.filter(({ name }) => names.has(name))
  return { meta: metas, questions, shown: shown.length > 0 ? shown : defaultColumns(snapshot, metas, questions) }
}

function defaultColumns(snapshot: SurveySnapshot, metas: readonly Column[], questions: readonly Column[]): Column[] {
  const names = ['_created_at', '_completed', ...(snapshot.collectors.size > 1 ? ['_collector'] : [])]
  const hidden = new Set(
    answerableQuestions(snapshot).flatMap(({ id, kind }) => (typeOf(kind)?.answeredBy === 'link' ? [id] : [])),
  )
  return [
    ...metas.filter(({ name }) => names.includes(name)),
    ...questions.filter(({ name }) => !hidden.has(name)).slice(0, DEFAULT_QUESTIONS),
  ]
}

const isEmpty = (content: Part): boolean =>
  content === null || content === undefined || content === false || content === ''

/** Renders a table cell. An empty cell contains a text that only screen readers read. */
export function cellView({ title, lang, cell }: Column, row: StoredResponse): Html {
  const content = cell(row)
  const empty = html`<span class="soft" aria-hidden="true">–</span><span class="hidden">none</span>`
  return html`<td role="cell"
      data-title="${title}"${isEmpty(content) && html` class="none"`}${lang && html` lang="${lang}"`}>
    ${isEmpty(content) ? empty : content}
  </td>`
}

/** Returns one value of an answer as text. For a choice "other", the text includes what the respondent typed. */
function valueText(field: Field, value: Answer, other: Answer | undefined, context: TextContext): string {
  if (hasNotation(field, value)) return writeValue(field, value, pageLanguage())
  if (field.type === 'file' && fileKeysOf(value).length > 0) return pluralize(fileKeysOf(value).length, 'file')
  if (typeof value === 'string') return value
  const label = renderPlaceholders(labelOf(field, value, context.language, context.q), context)
  const isOther = typeof value === 'number' && field.choices[value]?.other
  return isOther && other !== undefined ? `${label}: ${other}` : label
}

/**
 * Returns the answer to a field as a list of texts, with one text for each selected choice. An answer that is not a
 * list of choices is one text. If there is no answer, the list is empty.
 */
export function answerTexts(field: Field, answers: Answers, context: TextContext): string[] {
  const value = answerTo(answers, field.key)
  if (!isAnswer(value)) return []
  const other = answerTo(answers, `${field.key}\\other`)
  return (isList(value) ? value : [value]).map((one) => valueText(field, one, other, context))
}

/**
 * Returns the text that the respondent typed for the choice "other" if that choice is not selected. If it is selected,
 * {@link answerTexts} includes the text.
 */
export function orphanedOtherText(question: Question, answers: Answers): string | undefined {
  const text = answerTo(answers, `${question.id}\\other`)
  const value = answerTo(answers, question.id)
  const selected: readonly Answer[] = value === undefined ? [] : isList(value) ? value : [value]
  const isShown = selected.some((one) => typeof one === 'number' && question.choices[one]?.other)
  return text === undefined || isShown ? undefined : String(text)
}

/** Returns the answered rows of a grid with their answers. */
export const answeredRows = (
  question: Question,
  answers: Answers,
  context: TextContext,
): [label: string, text: string][] =>
  question.fields.flatMap((field): [string, string][] => {
    const texts = field.row ? answerTexts(field, answers, context) : []
    return field.row && texts.length > 0
      ? [[pipe(textIn(field.row.label, context.language, context.q), { ...context, answers }), texts.join(', ')]]
      : []
  })

/** Returns the answer to a question on one line. */
export function answerLine(question: Question, answers: Answers, context: TextContext): string {
  if (question.rows.length > 0)
    return answeredRows(question, answers, context)
      .map(([row, text]) => `${row} ${text}`)
      .join('; ')
  const [field] = answerFields(question)
  const texts = field ? answerTexts(field, answers, context) : []
  const ranked = field?.type === 'ranking' ? texts.map((text, index) => `${index + 1}. ${text}`) : texts
  const image = question.fields.find(({ part }) => part === 'image')
  const images = image ? answerTexts(image, answers, context) : []
  return [...ranked, ...images, orphanedOtherText(question, answers)].filter(Boolean).join(', ')
}

/** Shortens a text to a number of characters. */
const truncate = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .trimEnd()
        .toWellFormed()}…`
