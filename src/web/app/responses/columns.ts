import { showsIdentity } from '../../../domain/response/filter/identity.ts'
import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { type MetaKey, metaLabel } from '../../../domain/structure/meta-fields.ts'
import type { Answers, Question } from '../../../domain/structure/questionnaire.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { type TextContext, titleOf } from '../../filter/text-context.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/format.ts'
import { answerLine, truncate } from './answer-text.ts'
import { statusTag } from './status.ts'

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
    meta('_completed', (row) => statusTag(row.completed)),
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
  const hidden = new Set(answerableQuestions(snapshot).flatMap(({ id, kind }) => (kind === 'hidden-field' ? [id] : [])))
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
  return html`<td role="cell" data-title="${title}"${isEmpty(content) && html` class="none"`}${lang && html` lang="${lang}"`}>${isEmpty(content) ? empty : content}</td>`
}
