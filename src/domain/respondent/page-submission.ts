import type { FieldError } from '../field-error.ts'
import type { Change, Stored } from '../response/submit/save.ts'

import type { Completion } from '../response/submit/submission-batcher.ts'
import { nextStep, previousPage } from '../structure/flow.ts'
import { anyChoiceIndex } from '../structure/parse-answer.ts'
import { parseAnswers } from '../structure/parse-answers.ts'
import type { Answers, Questionnaire } from '../structure/questionnaire.ts'
import { fromForm } from '../structure/stored.ts'
import { validateAnswers } from '../structure/validate-answers.ts'
import { dropHidden, visibleQuestions } from '../structure/visibility.ts'
import { pathOf, withPage } from './path.ts'

/** A page submitted by a respondent. */
export interface Submission {
  /** From 1. */
  page: number
  /** The entered values by form field ({@link fromForm}); '' for an unanswered question of the page. */
  raw: Readonly<Record<string, unknown>>
  /** Errors of the form itself, such as two choices with the same rank. */
  errors?: readonly FieldError[]
  /** Ids of the questions that the page displayed; absent: all questions visible with these answers. */
  shown?: ReadonlySet<string> | undefined
  /** `later` saves the answers for another day; a number is the page (from 1) to go to. */
  go: 'next' | 'back' | 'later' | number
  language: string
}

/** The step after a submission. */
export type NextStep =
  | { to: 'page'; page: number }
  /** The same page again: it has errors, or (without errors) the answers make further questions visible. */
  | { to: 'again'; errors: readonly FieldError[] }
  | { to: 'later' }
  | { to: 'end'; completed: Completion }
  /** All pages are complete, but the response limit of the survey is reached. */
  | { to: 'full' }

/** The changes of a submitted page and the next step. */
export interface PageDecision {
  /** All answers, including the valid ones of this page. An invalid answer keeps its previous value. */
  answers: Answers
  change: Change
  next: NextStep
}

const none: Answers = Object.freeze({})

/**
 * Returns the changes of a submitted page and the next step. It has no side effects.
 * @param stored the response so far; undefined for the first page
 */
export function submitPage(
  q: Questionnaire,
  stored: Pick<Stored, 'answers' | 'pagepath'> | undefined,
  sent: Submission,
): PageDecision {
  const before = stored?.answers ?? none
  const page = q.pages[sent.page - 1]!
  const read = parseAnswers(q, fromForm(q, sent.raw), 'strict', anyChoiceIndex)
  const entered = merge(before, read.answers, read.cleared)
  const visible = visibleQuestions(q, page, dropHidden(q, entered))
  const seen = visible.filter(({ id, kind }) => kind === 'hidden-field' || !sent.shown || sent.shown.has(id))
  const keys = new Set(seen.flatMap(({ fields }) => fields.map(({ key }) => key)))
  const scope = { page: sent.page, language: sent.language }
  const found = [...(sent.errors ?? []), ...read.errors, ...validateAnswers(q, dropHidden(q, entered), scope)]
  const errors = found.filter(
    ({ field }, at) => keys.has(field) && found.findIndex((one) => one.field === field) === at,
  )
  const invalid = new Set(errors.map(({ field }) => field))
  const valid = Object.fromEntries(Object.entries(read.answers).filter(([key]) => !invalid.has(key)))
  const answers = dropHidden(q, invalid.size > 0 ? merge(before, valid, read.cleared) : entered)
  const pagepath = stored?.pagepath ?? null
  const onwards = sent.go === 'next' || (typeof sent.go === 'number' && sent.go > sent.page)
  const done = onwards && errors.length === 0 && seen.length === visible.length
  const path = done ? withPage(pagepath, sent.page) : (pagepath ?? '')
  const next = nextStepOf(q, answers, path, sent, errors, done)
  return {
    answers,
    next,
    change: {
      answers,
      cleared: Object.keys(before).filter((key) => !Object.hasOwn(answers, key)),
      language: sent.language,
      ...(path && { pagepath: path }),
      ...(next.to === 'end' && { completed: next.completed, limited: true }),
    },
  }
}

function merge(before: Answers, answers: Answers, cleared: readonly string[]): Answers {
  const gone = new Set(cleared)
  return Object.fromEntries([...Object.entries(before).filter(([key]) => !gone.has(key)), ...Object.entries(answers)])
}

function nextStepOf(
  q: Questionnaire,
  answers: Answers,
  pagepath: string,
  { page, go }: Submission,
  errors: readonly FieldError[],
  done: boolean,
): NextStep {
  if (go === 'later') return { to: 'later' }
  if (go === 'back') return { to: 'page', page: previousPage(q, page, answers) ?? page }
  const { pages, waiting, end } = pathOf(q, answers, pagepath)
  const reached = (wanted: number) => ({ to: 'page', page: pages.includes(wanted) ? wanted : page }) as const
  if (typeof go === 'number' && go <= page) return reached(go)
  if (!done) return { to: 'again', errors }
  // A request for a page never ends the survey.
  if (typeof go === 'number') return reached(go)
  if (end) return { to: 'end', completed: end === 'terminate' ? 2 : 1 }
  const step = nextStep(q, page, answers)
  const wanted = typeof step === 'object' ? step.page : waiting!
  return { to: 'page', page: pages.includes(wanted) ? wanted : waiting! }
}

/** Returns the ids of the questions on a page that are visible with the entered values. Nothing is stored. */
export function visibleQuestionIds(
  q: Questionnaire,
  stored: Pick<Stored, 'answers'> | undefined,
  { page, raw }: Submission,
): string[] {
  const read = parseAnswers(q, fromForm(q, raw), 'lenient', anyChoiceIndex)
  const answers = dropHidden(q, merge(stored?.answers ?? none, read.answers, read.cleared))
  return visibleQuestions(q, page, answers).map(({ id }) => id)
}
