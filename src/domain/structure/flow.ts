import { orderOf, positionOf } from './page-order.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { evaluationOf, type Step } from './visibility.ts'

export type { Step }

/**
 * Returns the step after a page (from 1): the target of the first skip whose condition is true, otherwise the next
 * page. Pages without visible questions are left out. After the last page, the survey is complete.
 * @param seed the key of the response, which decides the order of pages in random order
 */
export function nextStep(q: Questionnaire, page: number, answers: Answers, seed?: string): Step {
  const evaluation = evaluationOf(q, answers)
  const order = orderOf(q, seed)
  if (!order) return evaluation.stepAfter(page)
  // The skips of the last page of a block are those of the block, whatever the order of its pages is.
  const block = order.blockOf(page)
  const rest = block?.slice(block.indexOf(page) + 1).find((number) => evaluation.isOnPath(number))
  if (rest !== undefined) return { page: rest }
  const step = evaluation.stepAfter(block ? Math.max(...block) : page)
  if (typeof step === 'string') return step
  return { page: order.blockOf(step.page)?.find((number) => evaluation.isOnPath(number)) ?? step.page }
}

/** Returns the first page with a visible question; 1 if there is none. */
export function firstPage(q: Questionnaire, answers: Answers, seed?: string): number {
  const step = nextStep(q, 0, answers, seed)
  return typeof step === 'object' ? step.page : 1
}

/** Returns the previous page on the path from the first page; undefined for the first page. */
export function previousPage(q: Questionnaire, page: number, answers: Answers, seed?: string): number | undefined {
  const position = positionOf(q, page, seed)
  let previous: number | undefined
  for (const number of walk(q, answers, seed)) {
    if (positionOf(q, number, seed) >= position) break
    previous = number
  }
  return previous
}

/** Returns the pages that a respondent with these answers sees, in order. */
export const pagePath = (q: Questionnaire, answers: Answers, seed?: string): number[] => [...walk(q, answers, seed)]

/** Yields the pages of {@link pagePath} one after the other. Evaluates no page after the block of the one that it yields. */
function* walk(q: Questionnaire, answers: Answers, seed: string | undefined): Generator<number> {
  let step: Step = { page: firstPage(q, answers, seed) }
  while (typeof step === 'object') {
    yield step.page
    step = nextStep(q, step.page, answers, seed)
  }
}

/**
 * Returns the share of pages before a page (from 1): 0 on the first page, less than 1 until the survey is complete.
 */
export const progress = (q: Questionnaire, page: number, seed?: string): number =>
  q.pages.length === 0 ? 0 : Math.min(1, Math.max(0, (positionOf(q, page, seed) - 1) / q.pages.length))
