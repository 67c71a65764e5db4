import { isAutomatic, typeOf } from '../../questions/index.ts'
import type { FieldError } from '../field-error.ts'
import {
  lookAtPage,
  type NextStep,
  type PageDecision,
  type Submission,
  submitPage,
} from '../respondent/page-submission.ts'
import { isFilteredOn, offerKey } from '../respondent/path.ts'
import { evaluationWork } from '../structure/answer-cache.ts'
import { withGroups } from '../structure/assignment.ts'
import { firstPage } from '../structure/flow.ts'
import type { Answer, Answers, Field, Question, Questionnaire, Rule } from '../structure/questionnaire.ts'
import { toStored } from '../structure/stored.ts'
import { choicesOffered, shownQuestions } from '../structure/visibility.ts'
import { formValues } from '../structure/write-answer.ts'
import type { AnswerBook } from './simulated-answers.ts'

/** A simulated respondent. */
export interface SimulatedRespondent {
  language: string
  /** Whether the browser runs scripts, which show and hide questions while the respondent answers. */
  scripts: boolean
  random: () => number
  /** Rules that the respondent tries to fulfil. */
  targets: ReadonlySet<Rule>
}

/** How a walk through a survey ended. */
export type WalkEnd = 'complete' | 'terminate' | 'stuck' | 'abandoned'

/** What happened on a page. */
export interface PageVisit {
  page: number
  /** The questions that the respondent saw. */
  seen: ReadonlySet<Question>
}

export interface Walk {
  visits: readonly PageVisit[]
  end: WalkEnd
  answers: Answers
  /** Where the respondent could not go on. */
  obstacle?: { page: number; errors: readonly FieldError[] }
}

/** Maximum number of times that a respondent submits a page. */
const MAX_ATTEMPTS = 8

/** Counts the work of the walks of a process. */
export const walkWork = { answers: 0 }

/** Returns a measure of the work of this process that does not depend on the machine. */
export const workDone = (): number =>
  walkWork.answers * 10 + evaluationWork.comparisons + evaluationWork.pages + evaluationWork.answers

/**
 * Walks through a survey as a person does: sees a page, answers it, submits it and follows the reply, until the survey
 * ends. Every page is submitted to the function that the pages of respondents use.
 * @param maxWork the walk is abandoned when {@link workDone} exceeds this
 */
export function walkThrough(
  q: Questionnaire,
  book: AnswerBook,
  respondent: SimulatedRespondent,
  maxWork: number,
): Walk {
  const visits: PageVisit[] = []
  let stored: StoredPages = {
    answers: withGroups(q, hiddenValues(q, book, respondent), String(respondent.random())),
    pagepath: null,
  }
  let page = firstPage(q, stored.answers)
  for (;;) {
    const { seen, decision } = answerPage(q, book, respondent, page, stored)
    visits.push({ page, seen })
    const { answers, change, next } = decision
    stored = { answers, pagepath: change.pagepath ?? stored.pagepath }
    if (next.to === 'end') return { visits, end: next.completed === 2 ? 'terminate' : 'complete', answers }
    if (next.to !== 'page') return { visits, end: 'stuck', answers, obstacle: { page, errors: errorsOf(next) } }
    if (workDone() > maxWork || visits.length > q.pages.length) return { visits, end: 'abandoned', answers }
    page = next.page
  }
}

const errorsOf = (next: NextStep): readonly FieldError[] => ('errors' in next ? next.errors : [])

/** Returns the values that the address of the survey gives to hidden fields: none, or values that rules mention. */
function hiddenValues(q: Questionnaire, book: AnswerBook, respondent: SimulatedRespondent): Answers {
  const fields = q.fields.filter(({ type }) => type === 'hidden')
  const values = fields.flatMap((field): [string, Answer][] => {
    const given = respondent.random() < 0.5 ? book.answerTo(field, [], { ...respondent, attempt: 0 }) : undefined
    const value = given ?? field.question.default
    return value === undefined ? [] : [[field.key, value]]
  })
  return Object.fromEntries(values)
}

/** The response so far, as the survey has stored it. */
interface StoredPages {
  answers: Answers
  pagepath: string | null
}

/** Answers a page until the survey accepts it, or until the respondent gives up. */
function answerPage(
  q: Questionnaire,
  book: AnswerBook,
  respondent: SimulatedRespondent,
  number: number,
  before: StoredPages,
): { seen: Set<Question>; decision: PageDecision } {
  const page = q.pages[number - 1]!
  const deciding = book.decidingOn(number)
  const isDynamic = deciding.size > 0
  const entered: Record<string, Answer> = {}
  const seen = new Set<Question>()
  let stored = before
  let rejected: ReadonlySet<string> = new Set()
  for (let attempt = 0; ; attempt++) {
    let shown: readonly Question[] = shownQuestions(q, number, stored.answers)
    const answered = new Set<Question>()
    const submission = () => submissionOf(q, respondent, number, shown, { stored: stored.answers, entered }, isDynamic)
    for (;;) {
      const question = shown.find((one) => !answered.has(one) && !isAutomatic(one.kind))
      if (!question) break
      answered.add(question)
      answerQuestion(q, book, respondent, question, stored.answers, { entered, rejected, attempt, seen })
      if (!respondent.scripts || !deciding.has(question)) continue
      const ids = new Set(lookAtPage(q, stored, submission()).shown)
      shown = page.questions.filter(({ id }) => ids.has(id))
    }
    for (const question of shown) seen.add(question)
    const decision = submitPage(q, stored, submission())
    if (decision.next.to !== 'again' || attempt + 1 >= MAX_ATTEMPTS) return { seen, decision }
    rejected = new Set(decision.next.errors.map(({ field }) => field))
    stored = { answers: decision.answers, pagepath: decision.change.pagepath ?? stored.pagepath }
  }
}

/** Enters the answers to a question that is answered for the first time, or whose answers were rejected. */
function answerQuestion(
  q: Questionnaire,
  book: AnswerBook,
  respondent: SimulatedRespondent,
  question: Question,
  stored: Answers,
  at: { entered: Record<string, Answer>; rejected: ReadonlySet<string>; attempt: number; seen: ReadonlySet<Question> },
): void {
  const { entered, rejected, attempt, seen } = at
  const sample = typeOf(question.kind)?.sampleAnswers
  if (sample) {
    walkWork.answers++
    Object.assign(entered, sample(question, respondent.random))
    return
  }
  const offered = question.choiceFilter ? choicesOffered(q, question, { ...stored, ...entered }) : question.choices
  for (const field of question.fields) {
    if (field.part && field.part !== 'image') continue
    if (seen.has(question) && !rejected.has(field.key) && !question.choiceFilter) continue
    walkWork.answers++
    const choices = field.choices.length > 0 ? offered : []
    const value = book.answerTo(field, choices, { ...respondent, attempt: rejected.has(field.key) ? attempt : 0 })
    if (value === undefined) delete entered[field.key]
    else entered[field.key] = value
  }
}

/** Returns what a browser submits: the questions that the page shows, with their values in its notation. */
function submissionOf(
  q: Questionnaire,
  { language }: SimulatedRespondent,
  page: number,
  shown: readonly Question[],
  { stored, entered }: { stored: Answers; entered: Answers },
  isDynamic: boolean,
): Submission {
  const answerable = shown.filter(({ kind }) => !isAutomatic(kind))
  const fields = answerable.flatMap((question) => question.fields)
  const values: Record<string, Answer> = {}
  for (const { key } of fields) if (Object.hasOwn(entered, key)) values[key] = entered[key]!
  const raw: Record<string, unknown> = { ...toStored(q, formValues(q, values, language)) }
  for (const field of fields)
    if (!field.part && !Object.hasOwn(values, field.key)) raw[field.storedKey] = blankValue(field)
  const filtered = isDynamic ? answerable.filter((question) => isFilteredOn(question, q, page)) : []
  const known = filtered.length > 0 ? { ...stored, ...values } : stored
  return {
    page,
    raw,
    shown: new Set(shown.map(({ id }) => id)),
    ...(filtered.length > 0 && {
      offered: new Map(filtered.map((question) => [question.id, offerKey(choicesOffered(q, question, known))])),
    }),
    go: 'next',
    language,
  }
}

const blankValue = ({ type }: Field): unknown => (type === 'multi' || type === 'ranking' ? [] : '')
