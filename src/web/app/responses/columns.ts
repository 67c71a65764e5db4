import { identifies } from '../../../domain/response/filter/identity.ts'
import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import { type MetaKey, metaLabel } from '../../../domain/structure/meta-fields.ts'
import type { Answers, Question } from '../../../domain/structure/questionnaire.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { timeTag } from '../../layout/time-tag.ts'
import { answerLine, cut, type Telling, titleOf } from './answer.ts'
import { statusTag } from './status.ts'

/** A column of the table beside the number. */
export interface Column {
  name: string
  title: string
  /** Language of title and cells, where they are the survey's. */
  lang?: string
  cell(row: StoredResponse): Part
}

/** Longer texts are cut; the page of the response has the whole. */
const LONGEST_CELL = 90
const LONGEST_TITLE = 60
/** How many questions are shown where nothing was chosen. */
const USUAL_QUESTIONS = 4

const meta = (key: MetaKey, cell: Column['cell']): Column => ({ name: key, title: metaLabel(key), cell })

/** What every response has, in the order in which it is offered. */
function metaColumns(snapshot: SurveySnapshot): Column[] {
  const known = (row: StoredResponse, text: string | null) => identifies(snapshot, row.collector_id) && text
  return [
    meta('_created_at', (row) => timeTag(new Date(row.created_at))),
    meta('_completed', (row) => statusTag(row.completed)),
    meta('_collector', (row) => collectorName(snapshot, row.collector_id)),
    meta('_updated_at', (row) => timeTag(new Date(row.updated_at))),
    meta('_language', (row) => row.language),
    meta('_completion_time', (row) => row.completion_time),
    meta('_weighted_score', (row) => row.weighted_score),
    meta('_invite_name', (row) => known(row, row.invite_name)),
    meta('_invite_email', (row) => known(row, row.invite_email)),
    meta('_invite_code', (row) => known(row, row.invite_code)),
  ]
}

/** The name of a collector; what is gone has only its number. */
export const collectorName = ({ collectors }: SurveySnapshot, id: number): string =>
  collectors.get(id)?.name ?? `Collector ${id}`

/** Questions that take an answer. */
export const askedQuestions = ({ questionnaire }: SurveySnapshot): Question[] =>
  questionnaire.questions.filter(({ fields }) => fields.length > 0)

const questionColumn = (question: Question, telling: Telling): Column => ({
  name: question.id,
  title: cut(titleOf(question, telling), LONGEST_TITLE),
  lang: telling.language,
  cell: ({ answers }) => cut(answerLine(question, answers as Answers, telling), LONGEST_CELL),
})

/** Every column that can be shown, and which of them are. */
export function columnsOf(
  snapshot: SurveySnapshot,
  chosen: readonly string[],
  telling: Telling,
): { meta: readonly Column[]; questions: readonly Column[]; shown: readonly Column[] } {
  const facts = metaColumns(snapshot)
  const questions = askedQuestions(snapshot).map((question) => questionColumn(question, telling))
  const all = [...facts, ...questions]
  const wanted = new Set(chosen)
  const picked = all.filter(({ name }) => wanted.has(name))
  return { meta: facts, questions, shown: picked.length > 0 ? picked : usual(snapshot, facts, questions) }
}

function usual(snapshot: SurveySnapshot, facts: readonly Column[], questions: readonly Column[]): Column[] {
  const names = ['_created_at', '_completed', ...(snapshot.collectors.size > 1 ? ['_collector'] : [])]
  const hidden = new Set(askedQuestions(snapshot).flatMap(({ id, kind }) => (kind === 'hidden-field' ? [id] : [])))
  return [
    ...facts.filter(({ name }) => names.includes(name)),
    ...questions.filter(({ name }) => !hidden.has(name)).slice(0, USUAL_QUESTIONS),
  ]
}

/** Whether a cell has nothing to show. */
const isNothing = (content: Part): boolean =>
  content === null || content === undefined || content === false || content === ''

/** A cell under its title; an empty one says so to those who cannot see that it is empty. */
export function cellView({ title, lang, cell }: Column, row: StoredResponse): Html {
  const content = cell(row)
  const nothing = html`<span class="soft" aria-hidden="true">–</span><span class="hidden">none</span>`
  return html`<td role="cell" data-title="${title}"${isNothing(content) && html` class="none"`}${lang && html` lang="${lang}"`}>${isNothing(content) ? nothing : content}</td>`
}
