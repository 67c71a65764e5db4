import { firstPage, nextStep } from '../structure/flow.ts'
import type { Answers, Questionnaire } from '../structure/questionnaire.ts'
import { validateAnswers } from '../structure/validate-answers.ts'

/** How far a respondent has come: the pages they may see, the one that waits for them, or how the survey ends. */
export interface Path {
  pages: readonly number[]
  /** The first page that is not yet done; nothing when all are. */
  waiting?: number
  end?: 'complete' | 'terminate'
}

/** `_pagepath` is the numbers of the pages done, in the order they were first done, joined by commas. */
export const pagesDone = (pagepath: string | null): number[] =>
  (pagepath ?? '')
    .split(',')
    .map(Number)
    .filter(Number.isInteger)
    .filter((page) => page > 0)

/** The same with one more page done. */
export const withPage = (pagepath: string | null, page: number): string =>
  [...new Set([...pagesDone(pagepath), page])].join()

/** Walks from the first page over pages that are done and still valid, as the answers lead. */
export function pathOf(q: Questionnaire, answers: Answers, pagepath: string | null): Path {
  const done = new Set(pagesDone(pagepath))
  const pages: number[] = []
  for (let page = firstPage(q, answers); ; ) {
    pages.push(page)
    if (!done.has(page) || validateAnswers(q, answers, { page }).length > 0) return { pages, waiting: page }
    const step = nextStep(q, page, answers)
    if (typeof step === 'string') return { pages, end: step }
    page = step.page
  }
}
