import { isAutomatic } from '../../questions/index.ts'
import type { FieldError } from '../field-error.ts'
import type { Completion } from '../response/submit/new-response.ts'
import type { ResponseRecord, ResponseUpdate } from '../response/submit/save.ts'
import { answerTo } from '../structure/answered.ts'
import { withGroups } from '../structure/assignment.ts'
import { withoutZone } from '../structure/datetime.ts'
import { firstPage, nextStep, pagePath, previousPage } from '../structure/flow.ts'
import { positionOf } from '../structure/page-order.ts'
import { anyChoiceIndex } from '../structure/parse-answer.ts'
import { type ParsedAnswers, parseAnswers } from '../structure/parse-answers.ts'
import type { Answer, Answers, Question, Questionnaire } from '../structure/questionnaire.ts'
import { quotasSettledBy } from '../structure/quota.ts'
import { fromForm } from '../structure/stored.ts'
import { validateAnswers } from '../structure/validate-answers.ts'
import { choicesOffered, shownQuestions, waitsFor, withDerivedAnswers } from '../structure/visibility.ts'
import { isFilteredOn, offerKey, pagesDone, pathOf, withPage } from './path.ts'

/** A page submitted by a respondent. */
export interface Submission {
  /** Number of the page, counted from 1. */
  page: number
  /** The entered values by form field ({@link fromForm}). The value of an unanswered question of the page is ''. */
  raw: Readonly<Record<string, unknown>>
  /** Errors of the form itself, such as two choices with the same rank. */
  errors?: readonly FieldError[]
  /**
   * Ids of the questions that the page displayed. If absent, the page displayed all questions that are visible with
   * these answers.
   */
  shown?: ReadonlySet<string> | undefined
  /** The choices that the page displayed, by question id, if answers of the page filter them ({@link offerKey}). */
  offered?: ReadonlyMap<string, string>
  /**
   * `later` saves the answers so that the respondent can continue another time; a number is the page to open, from 1.
   */
  go: 'next' | 'back' | 'later' | number
  language: string
  /** The key of the response, which decides random orders and groups; absent: the order of the structure, no groups. */
  seed?: string
}

/** The step after a submission. */
export type NextStep =
  | { to: 'page'; page: number }
  /** The page is shown again, because it has errors or because the answers make further questions visible. */
  | { to: 'again'; errors: readonly FieldError[] }
  | { to: 'later' }
  | { to: 'end'; completed: Completion }
  /** All pages are complete, but the survey has reached its limit of responses. */
  | { to: 'full' }

/** The changes that a submitted page makes to a response, and the next step. */
export interface PageDecision {
  /** All answers, including the valid answers of this page. If an answer is invalid, the previous answer is kept. */
  answers: Answers
  change: ResponseUpdate
  next: NextStep
}

const none: Answers = Object.freeze({})

/**
 * Returns the changes that a submitted page makes to a response, and the next step. It has no side effects.
 * @param stored the response so far; undefined for the first page
 */
export function submitPage(
  q: Questionnaire,
  stored: Pick<ResponseRecord, 'answers' | 'pagepath'> | undefined,
  submission: Submission,
  now?: Date,
): PageDecision {
  const previous = withGroups(q, stored?.answers ?? none, submission.seed)
  const page = q.pages[submission.page - 1]!
  const parsed = withZones(
    previous,
    parseAnswers(q, fromForm(q, submission.raw), 'strict', {
      lookup: anyChoiceIndex,
      language: submission.language,
    }),
  )
  const entered = merge(previous, parsed.answers, parsed.cleared)
  const visible = shownQuestions(q, page.number, entered)
  const answerable = visible.filter(
    ({ id, kind }) => isAutomatic(kind) || !submission.shown || submission.shown.has(id),
  )
  const keys = new Set(answerable.flatMap(({ id, fields }) => [id, ...fields.map(({ key }) => key)]))
  const unread = new Set(parsed.errors.map(({ field }) => field))
  const scope = { page: submission.page, language: submission.language, now, unread }
  const allErrors = [...(submission.errors ?? []), ...parsed.errors, ...validateAnswers(q, entered, scope)]
  const invalid = new Set<string>()
  const errors = allErrors.filter(({ field }) => {
    const isFirst = keys.has(field) && !invalid.has(field)
    if (isFirst) invalid.add(field)
    return isFirst
  })
  const valid = () => Object.fromEntries(Object.entries(parsed.answers).filter(([key]) => !invalid.has(key)))
  const answers = withDerivedAnswers(q, invalid.size > 0 ? merge(previous, valid(), parsed.cleared) : entered)
  const pagepath = stored?.pagepath ?? null
  const movesForward =
    submission.go === 'next' || (typeof submission.go === 'number' && isAfter(q, submission.go, submission))
  const isOutdated = answerable.some((question) => !isOfferedAsShown(q, question, answers, submission))
  const isComplete = movesForward && errors.length === 0 && answerable.length === visible.length && !isOutdated
  const isFirst = firstPage(q, answers, submission.seed) === submission.page
  const done = isComplete ? withPage(pagepath, submission.page) : (pagepath ?? '')
  const next = nextStepOf(q, answers, done, submission, errors, isComplete)
  const path = next.to === 'end' ? pagesOnPath(q, answers, done, submission.seed) : done
  const settled = isComplete && next.to === 'page' ? settledBy(q, answers, path, submission, isFirst) : undefined
  return {
    answers,
    next,
    change: {
      answers,
      cleared: Object.keys(previous).filter((key) => !Object.hasOwn(answers, key)),
      language: submission.language,
      ...(path && { pagepath: path }),
      ...(settled && { settled }),
      ...(next.to === 'end' && { completed: next.completed, enforceLimits: true }),
    },
  }
}

/** Reports whether a respondent sees a page after the submitted one. */
const isAfter = (q: Questionnaire, page: number, submitted: Submission): boolean =>
  positionOf(q, page, submitted.seed) > positionOf(q, submitted.page, submitted.seed)

/** Returns the pages of the path, up to the given one, that a `_pagepath` contains, in the order seen. */
function pagesOnPath(
  q: Questionnaire,
  answers: Answers,
  pagepath: string,
  seed: string | undefined,
  last?: number,
): string {
  const done = new Set(pagesDone(pagepath))
  const end = last === undefined ? q.pages.length : positionOf(q, last, seed)
  return pagePath(q, answers, seed)
    .filter((page) => positionOf(q, page, seed) <= end && done.has(page))
    .join()
}

/** Returns the quotas that a page settles, and the `_pagepath` of a response that ends with it. */
function settledBy(
  q: Questionnaire,
  answers: Answers,
  pagepath: string,
  { page, seed }: Submission,
  isFirst: boolean,
): ResponseUpdate['settled'] {
  const step = q.quotas.length > 0 && nextStep(q, page, answers, seed)
  if (typeof step !== 'object') return undefined
  const quotas = quotasSettledBy(q, answers, { page, next: step.page, isFirst, seed })
  return quotas.length > 0 ? { quotas, page, pagepath: pagesOnPath(q, answers, pagepath, seed, page) } : undefined
}

/**
 * Returns parsed answers in which a time keeps the time zone of the stored answer if the respondent did not change it.
 * The fields of browsers have no time zone.
 */
function withZones(previous: Answers, parsed: ParsedAnswers): ParsedAnswers {
  const unchanged = Object.entries(parsed.answers).flatMap(([key, value]): [string, Answer][] => {
    const before = answerTo(previous, key)
    return typeof before === 'string' && before !== value && withoutZone(before) === value ? [[key, before]] : []
  })
  return unchanged.length > 0 ? { ...parsed, answers: { ...parsed.answers, ...Object.fromEntries(unchanged) } } : parsed
}

function merge(previous: Answers, answers: Answers, cleared: readonly string[]): Answers {
  if (!cleared.some((key) => Object.hasOwn(previous, key))) return { ...previous, ...answers }
  const removed = new Set(cleared)
  const kept = Object.entries(previous).filter(([key]) => !removed.has(key))
  return { ...Object.fromEntries(kept), ...answers }
}

function nextStepOf(
  q: Questionnaire,
  answers: Answers,
  pagepath: string,
  submission: Submission,
  errors: readonly FieldError[],
  isComplete: boolean,
): NextStep {
  const { page, go, seed } = submission
  if (go === 'later') return { to: 'later' }
  if (go === 'back') return { to: 'page', page: previousPage(q, page, answers, seed) ?? page }
  const { pages, current, end } = pathOf(q, answers, pagepath, seed)
  const goTo = (target: number) => ({ to: 'page', page: pages.includes(target) ? target : page }) as const
  if (typeof go === 'number' && !isAfter(q, go, submission)) return goTo(go)
  if (!isComplete) return { to: 'again', errors }
  // If the respondent chose a page to open, the survey does not end, even if all pages are complete.
  if (typeof go === 'number') return goTo(go)
  if (end) return { to: 'end', completed: end === 'terminate' ? 2 : 1 }
  const step = nextStep(q, page, answers, seed)
  const target = typeof step === 'object' ? step.page : current!
  return { to: 'page', page: pages.includes(target) ? target : current! }
}

/** Reports whether a page displayed the choices that a question offers with these answers. */
function isOfferedAsShown(q: Questionnaire, question: Question, answers: Answers, { offered }: Submission): boolean {
  const shown = offered?.get(question.id)
  return shown === undefined || shown === offerKey(choicesOffered(q, question, answers))
}

/** What the script of a page shows after an answer has changed. */
export interface PageLook {
  /** Ids of the visible questions. */
  shown: string[]
  /** The questions that offer no choice before another question of the page is answered, and that question. */
  waiting?: { question: string; first: string }[]
  /** The choices of the questions whose choices differ from those that the page displays, by their form values. */
  choices?: { question: string; key: string; values: string[] }[]
}

/** Returns what a page shows with the entered values. Nothing is stored. */
export function lookAtPage(
  q: Questionnaire,
  stored: Pick<ResponseRecord, 'answers'> | undefined,
  submission: Submission,
): PageLook {
  const { page, raw, language } = submission
  const parsed = parseAnswers(q, fromForm(q, raw), 'lenient', { lookup: anyChoiceIndex, language })
  const answers = merge(withGroups(q, stored?.answers ?? none, submission.seed), parsed.answers, parsed.cleared)
  const shown = shownQuestions(q, page, answers)
  const filtered = q.pages[page - 1]!.questions.filter((question) => isFilteredOn(question, q, page))
  const changed = shown.filter(
    (question) =>
      filtered.includes(question) &&
      !(submission.offered?.has(question.id) && isOfferedAsShown(q, question, answers, submission)),
  )
  return {
    shown: shown.map(({ id }) => id),
    ...(filtered.length > 0 && {
      waiting: filtered.flatMap((question) => {
        const first = waitsFor(q, question, answers)
        return first ? [{ question: question.id, first: first.id }] : []
      }),
      choices: changed.map((question) => {
        const offered = choicesOffered(q, question, answers)
        return { question: question.id, key: offerKey(offered), values: offered.map(({ uid }) => String(uid)) }
      }),
    }),
  }
}
