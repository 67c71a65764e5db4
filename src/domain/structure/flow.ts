import { holds } from './condition.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { dropHidden, isVisible } from './visibility.ts'

export type Step = { page: number } | 'complete' | 'terminate'

/**
 * Where leaving a page (from 1) leads with these answers: the first skip that holds, else the next page; pages with
 * nothing visible are passed over; after the last it is complete. Always forwards: a skip that points back is ignored.
 */
export const nextStep = (q: Questionnaire, page: number, answers: Answers): Step =>
  stepFrom(q, page, dropHidden(q, answers))

/** The first page with something visible; page 1 when nothing is. */
export const firstPage = (q: Questionnaire, answers: Answers): number => shownFrom(q, 1, dropHidden(q, answers)) ?? 1

/** The page before this one on the walk from the start, or nothing on the first. */
export const previousPage = (q: Questionnaire, page: number, answers: Answers): number | undefined =>
  walk(q, answers).findLast((walked) => walked < page)

/** The pages walked from the start up to this one; it is the last of them unless the walk passes it by. */
export const pathTo = (q: Questionnaire, page: number, answers: Answers): number[] =>
  walk(q, answers).filter((walked) => walked <= page)

/** Every page that these answers lead to, in order. */
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

/** How far a page (from 1) is into the survey: 0 on the first, less than 1 until it is complete. */
export const progress = (q: Questionnaire, page: number): number =>
  q.pages.length === 0 ? 0 : Math.min(1, Math.max(0, (page - 1) / q.pages.length))

/** Where the pages lead, found once for the same answers. */
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
