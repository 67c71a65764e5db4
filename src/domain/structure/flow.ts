import type { Answers, Questionnaire } from './questionnaire.ts'
import { evaluationOf } from './visibility.ts'

/** The step after a page: another page (from 1) or the end of the survey. */
export type Step = { page: number } | 'complete' | 'terminate'

/**
 * Returns the step after a page (from 1): the target of the first skip whose condition is true, otherwise the next
 * page. Pages without visible questions are left out. After the last page, the survey is complete. A skip to an earlier
 * page is ignored, so respondents always move forwards.
 */
export function nextStep(q: Questionnaire, page: number, answers: Answers): Step {
  const evaluation = evaluationOf(q, answers)
  const cached = stepCache.get(evaluation)?.get(page)
  if (cached) return cached
  const step = findStep(q, page, answers)
  const steps = stepCache.get(evaluation) ?? new Map<number, Step>()
  stepCache.set(evaluation, steps.set(page, step))
  return step
}

/** Cache of steps by page. */
const stepCache = new WeakMap<object, Map<number, Step>>()

function findStep(q: Questionnaire, page: number, answers: Answers): Step {
  const evaluation = evaluationOf(q, answers)
  const skip = q.pages[page - 1]?.skips.find(
    ({ when, to }) => (typeof to === 'string' || to > page) && (!when || evaluation.holds(when, page)),
  )
  if (typeof skip?.to === 'string') return skip.to
  const next = firstVisiblePage(q, skip?.to ?? page + 1, answers)
  return next === undefined ? 'complete' : { page: next }
}

/** Returns the first page with a visible question; 1 if there is none. */
export const firstPage = (q: Questionnaire, answers: Answers): number => firstVisiblePage(q, 1, answers) ?? 1

function firstVisiblePage(q: Questionnaire, from: number, answers: Answers): number | undefined {
  const evaluation = evaluationOf(q, answers)
  for (let page = from; page <= q.pages.length; page++) if (evaluation.hasVisibleQuestions(page)) return page
  return undefined
}

/** Returns the previous page on the path from the first page; undefined for the first page. */
export function previousPage(q: Questionnaire, page: number, answers: Answers): number | undefined {
  let previous: number | undefined
  for (const number of walk(q, answers)) {
    if (number >= page) break
    previous = number
  }
  return previous
}

/** Returns the pages that a respondent with these answers sees, in order. */
export const pagePath = (q: Questionnaire, answers: Answers): number[] => [...walk(q, answers)]

/** Yields the pages of {@link pagePath} one after the other. Evaluates no page after the one that it yields. */
function* walk(q: Questionnaire, answers: Answers): Generator<number> {
  let step: Step = { page: firstPage(q, answers) }
  while (typeof step === 'object') {
    yield step.page
    step = nextStep(q, step.page, answers)
  }
}

/**
 * Returns the share of pages before a page (from 1): 0 on the first page, less than 1 until the survey is complete.
 */
export const progress = (q: Questionnaire, page: number): number =>
  q.pages.length === 0 ? 0 : Math.min(1, Math.max(0, (page - 1) / q.pages.length))
