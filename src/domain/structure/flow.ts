import { holds } from './condition.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { dropHidden, isVisible } from './visibility.ts'

/** The step after a page: another page (from 1) or the end of the survey. */
export type Step = { page: number } | 'complete' | 'terminate'

/**
 * Returns the step after a page (from 1): the target of the first skip that holds, else the next page. Pages without
 * visible questions are left out; after the last page the survey is complete. A skip that points back is ignored, so the
 * flow always moves forwards.
 */
export const nextStep = (q: Questionnaire, page: number, answers: Answers): Step =>
  stepFrom(q, page, dropHidden(q, answers))

/** Returns the first page with a visible question; 1 when there is none. */
export const firstPage = (q: Questionnaire, answers: Answers): number => shownFrom(q, 1, dropHidden(q, answers)) ?? 1

/** Returns the previous page on the path from the start; undefined for the first page. */
export const previousPage = (q: Questionnaire, page: number, answers: Answers): number | undefined =>
  walk(q, answers).findLast((walked) => walked < page)

/**
 * Returns the pages on the path from the start to this page. This page is the last of them unless the path does not
 * contain it.
 */
export const pathTo = (q: Questionnaire, page: number, answers: Answers): number[] =>
  walk(q, answers).filter((walked) => walked <= page)

/** Returns all pages on the path for these answers, in order. */
export function walk(q: Questionnaire, answers: Answers): number[] {
  const kept = dropHidden(q, answers)
  const path: number[] = []
  let step: Step = { page: shownFrom(q, 1, kept) ?? 1 }
  while (typeof step === 'object') {
    path.push(step.page)
    step = stepFrom(q, step.page, kept)
  }
  return path
}

/**
 * Returns the share of the survey before a page (from 1): 0 on the first page, less than 1 until the survey is complete.
 */
export const progress = (q: Questionnaire, page: number): number =>
  q.pages.length === 0 ? 0 : Math.min(1, Math.max(0, (page - 1) / q.pages.length))

/** Caches the steps of each answers object. */
const knownSteps = new WeakMap<Questionnaire, WeakMap<Answers, Map<number, Step>>>()

function stepFrom(q: Questionnaire, page: number, kept: Answers): Step {
  const ofSurvey = knownSteps.get(q) ?? new WeakMap<Answers, Map<number, Step>>()
  const steps = ofSurvey.get(kept) ?? new Map<number, Step>()
  knownSteps.set(q, ofSurvey.set(kept, steps))
  const step = steps.get(page) ?? findStep(q, page, kept)
  steps.set(page, step)
  return step
}

function findStep(q: Questionnaire, page: number, kept: Answers): Step {
  const skip = q.pages[page - 1]?.skips.find(
    ({ when, to }) => (typeof to === 'string' || to > page) && (!when || holds(when, q, kept)),
  )
  if (typeof skip?.to === 'string') return skip.to
  const next = shownFrom(q, skip?.to ?? page + 1, kept)
  return next === undefined ? 'complete' : { page: next }
}

function shownFrom(q: Questionnaire, from: number, kept: Answers): number | undefined {
  for (let page = from; page <= q.pages.length; page++)
    if (q.pages[page - 1]!.questions.some((question) => isVisible(question, q, kept))) return page
  return undefined
}
