import type { StoredResponse } from '../../../domain/response/filter/stored-response.ts'
import type { Answers, Question } from '../../../domain/structure/questionnaire.ts'
import { pipe, textIn } from '../../../domain/structure/text.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { orphanedOtherText, partsOfAnswer, rowsAnswered, type Telling } from './answer.ts'

/** Every question that takes an answer, in the order of the survey, with what was answered. */
export function answersView({ answers: stored }: StoredResponse, telling: Telling): Part {
  const answers = stored as Answers
  const { q, language } = telling
  const { pages } = q
  const shown = pages.flatMap(({ number, title, questions }) => {
    const asked = questions.filter(({ fields }) => fields.length > 0)
    if (asked.length === 0) return []
    const heading = pipe(textIn(title, language, q), { ...telling, answers }) || `Page ${number}`
    return html`${pages.length > 1 && html`<h3>${heading}</h3>`}<dl class="answers" lang="${language}">${asked.map((question) => entry(question, answers, telling))}</dl>`
  })
  return shown.length > 0 ? shown : html`<p class="soft">This survey has no questions.</p>`
}

function entry(question: Question, answers: Answers, telling: Telling): Html {
  const title = pipe(textIn(question.title, telling.language, telling.q), { ...telling, answers }).trim()
  const hidden = question.kind === 'hidden-field' && html` <span class="tag" lang="en">Hidden</span>`
  return html`<div><dt>${title || question.id}${hidden}</dt><dd>${answerView(question, answers, telling)}</dd></div>`
}

function answerView(question: Question, answers: Answers, telling: Telling): Part {
  const field = question.fields.find(({ type }) => type !== 'other')
  if (question.rows.length > 0) return gridView(question, answers, telling)
  const parts = field ? partsOfAnswer(field, answers, telling) : []
  const stray = orphanedOtherText(question, answers)
  const all = stray === undefined ? parts : [...parts, stray]
  if (all.length === 0) return NONE
  if (field?.type === 'ranking') return html`<ol>${all.map((part) => html`<li>${part}</li>`)}</ol>`
  if (all.length > 1) return html`<ul>${all.map((part) => html`<li>${part}</li>`)}</ul>`
  return html`<p class="given">${all[0]}</p>`
}

const NONE = html`<p class="soft" lang="en">No answer</p>`

function gridView(question: Question, answers: Answers, telling: Telling): Html {
  const rows = rowsAnswered(question, answers, telling)
  if (rows.length === 0) return NONE
  return html`<table class="small-grid"><tbody>${rows.map(([label, text]) => html`<tr><th scope="row">${label}</th><td>${text}</td></tr>`)}</tbody></table>`
}
