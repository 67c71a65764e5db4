import { firstPage, nextStep } from '../structure/flow.ts'
import type { Answers, Questionnaire } from '../structure/questionnaire.ts'
import { validateAnswers } from '../structure/validate-answers.ts'

/**
 * The progress of a respondent: the pages that can be opened, and either the first incomplete page or how the survey
 * ended.
 */
export interface Path {
  pages: readonly number[]
  /** The first incomplete page; absent if all pages are complete. */
  current?: number
  end?: 'complete' | 'terminate'
}

/**
 * Returns the completed pages. `_pagepath` contains their numbers, in the order of first completion, separated by
 * commas.
 */
export const pagesDone = (pagepath: string | null): number[] =>
  (pagepath ?? '')
    .split(',')
    .map(Number)
    .filter(Number.isInteger)
    .filter((page) => page > 0)

/** Adds a completed page to `_pagepath`. */
export const withPage = (pagepath: string | null, page: number): string =>
  [...new Set([...pagesDone(pagepath), page])].join()

/**
 * Returns the path of a respondent: it begins with the first page, continues over pages that are complete and still
 * valid, and ends with the first page that is not, or with the end of the survey.
 */
export function pathOf(q: Questionnaire, answers: Answers, pagepath: string | null): Path {
  const completed = new Set(pagesDone(pagepath))
  const pages: number[] = []
  for (let page = firstPage(q, answers); ; ) {
    pages.push(page)
    if (!completed.has(page) || validateAnswers(q, answers, { page }).length > 0) return { pages, current: page }
    const step = nextStep(q, page, answers)
    if (typeof step === 'string') return { pages, end: step }
    page = step.page
  }
}
