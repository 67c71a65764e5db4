import { holds } from './condition.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { dropHidden, isVisible } from './visibility.ts'

/** The step after a page: another page (from 1) or the end of the survey. */
export type Step = { page: number } | 'complete' | 'terminate'

/**
 * Returns the step after a page (from 1): the target of the first skip whose condition is true, otherwise the next
 * page. Pages without visible questions are left out. After the last page, the survey is complete. A skip to an earlier
 * page is ignored, so respondents always move forwards.
 */
export const nextStep = (q: Questionnaire, page: number, answers: Answers): Step =>
  stepFrom(q, page, dropHidden(q, answers))

/** Returns the first page with a visible question; 1 if there is none. */
export const firstPage = (q: Questionnaire, answers: Answers): number =>
  firstVisiblePage(q, 1, dropHidden(q, answers)) ?? 1

/** Returns the previous page on the path from the first page; undefined for the first page. */
export const previousPage = (q: Questionnaire, page: number, answers: Answers): number | undefined =>
  pagePath(q, answers).findLast((number) => number < page)

/** Returns the pages that a respondent with these answers sees, in order. */
export function pagePath(q: Questionnaire, answers: Answers): number[] {
  const visibleAnswers = dropHidden(q, answers)
  const path: number[] = []
  let step: Step = { page: firstVisiblePage(q, 1, visibleAnswers) ?? 1 }
  while (typeof step === 'object') {
    path.push(step.page)
    step = stepFrom(q, step.page, visibleAnswers)
  }
  return path
}

/**
 * Returns the share of pages before a page (from 1): 0 on the first page, less than 1 until the survey is complete.
 */
export const progress = (q: Questionnaire, page: number): number =>
  q.pages.length === 0 ? 0 : Math.min(1, Math.max(0, (page - 1) / q.pages.length))

/** Cache of steps by page. Each object of answers has separate entries. */
const stepCache = new WeakMap<Questionnaire, WeakMap<Answers, Map<number, Step>>>()

function stepFrom(q: Questionnaire, page: number, visibleAnswers: Answers): Step {
  const stepsByAnswers = stepCache.get(q) ?? new WeakMap<Answers, Map<number, Step>>()
  const steps = stepsByAnswers.get(visibleAnswers) ?? new Map<number, Step>()
  stepCache.set(q, stepsByAnswers.set(visibleAnswers, steps))
  const step = steps.get(page) ?? findStep(q, page, visibleAnswers)
  steps.set(page, step)
  return step
}

function findStep(q: Questionnaire, page: number, visibleAnswers: Answers): Step {
  const skip = q.pages[page - 1]?.skips.find(
    ({ when, to }) => (typeof to === 'string' || to > page) && (!when || holds(when, q, visibleAnswers)),
  )
  if (typeof skip?.to === 'string') return skip.to
  const next = firstVisiblePage(q, skip?.to ?? page + 1, visibleAnswers)
  return next === undefined ? 'complete' : { page: next }
}

function firstVisiblePage(q: Questionnaire, from: number, visibleAnswers: Answers): number | undefined {
  for (let page = from; page <= q.pages.length; page++)
    if (q.pages[page - 1]!.questions.some((question) => isVisible(question, q, visibleAnswers))) return page
  return undefined
}
