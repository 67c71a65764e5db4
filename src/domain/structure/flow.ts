import type { Answers, Questionnaire } from './questionnaire.ts'
import { evaluationOf, type Step } from './visibility.ts'

export type { Step }

/**
 * Returns the step after a page (from 1): the target of the first skip whose condition is true, otherwise the next
 * page. Pages without visible questions are left out. After the last page, the survey is complete.
 */
export const nextStep = (q: Questionnaire, page: number, answers: Answers): Step =>
  evaluationOf(q, answers).stepAfter(page)

/** Returns the first page with a visible question; 1 if there is none. */
export function firstPage(q: Questionnaire, answers: Answers): number {
  const step = evaluationOf(q, answers).stepAfter(0)
  return typeof step === 'object' ? step.page : 1
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
