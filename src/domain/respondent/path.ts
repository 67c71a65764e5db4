import { createHash } from 'node:crypto'
import type { ResponseRecord } from '../response/submit/save.ts'
import { isAssigned } from '../structure/assignment.ts'
import { namesOf } from '../structure/condition.ts'
import { firstPage, nextStep } from '../structure/flow.ts'
import type { Answers, Choice, Condition, Question, Questionnaire, Rule } from '../structure/questionnaire.ts'
import { questionNamed } from '../structure/text.ts'
import { validateAnswers } from '../structure/validate-answers.ts'

/**
 * The progress of a respondent: the pages that can be opened, and either the first incomplete page or how the survey
 * ended.
 */
interface Path {
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

/**
 * The entry of `_pagepath` for a respondent who reached the end with an invitation that was used before. The response
 * stays incomplete, so that an invitation brings one complete response. The respondent sees the final page.
 */
const END = 0

/** Adds the entry {@link END} to `_pagepath`. */
export const withEnd = (pagepath: string | null): string => [...pagesDone(pagepath), END].join()

/**
 * Returns how a response ended for its respondent, who then can neither see nor change its pages; undefined if the
 * respondent has not reached the end.
 */
export function endOf(
  q: Questionnaire,
  { completed, answers, pagepath }: Pick<ResponseRecord, 'completed' | 'answers' | 'pagepath'>,
): 'complete' | 'terminate' | undefined {
  if (completed > 0) return completed === 2 ? 'terminate' : 'complete'
  return pagepath?.split(',').at(-1) === String(END) ? (pathOf(q, answers, pagepath).end ?? 'complete') : undefined
}

/** Adds a completed page to `_pagepath`. */
export const withPage = (pagepath: string | null, page: number): string =>
  [...new Set([...pagesDone(pagepath), page])].join()

/**
 * Returns the path of a respondent: it begins with the first page, continues over pages that are complete and still
 * valid, and ends with the first page that is not, or with the end of the survey.
 * @param seed the key of the response, which decides the order of pages in random order
 */
export function pathOf(q: Questionnaire, answers: Answers, pagepath: string | null, seed?: string): Path {
  const completed = new Set(pagesDone(pagepath))
  const pages: number[] = []
  for (let page = firstPage(q, answers, seed); ; ) {
    pages.push(page)
    if (!completed.has(page) || validateAnswers(q, answers, { page }).length > 0) return { pages, current: page }
    const step = nextStep(q, page, answers, seed)
    if (typeof step === 'string') return { pages, end: step }
    page = step.page
  }
}

/** Returns the questions to which a condition refers. Unknown names are ignored. */
function questionsOf(condition: Condition | Rule, q: Questionnaire): Question[] {
  if ('all' in condition) return condition.all.flatMap((part) => questionsOf(part, q))
  if ('any' in condition) return condition.any.flatMap((part) => questionsOf(part, q))
  return namesOf(condition).flatMap((name) => questionNamed(name, q) ?? [])
}

/**
 * Returns whether the choices of a question depend on the answer to a question on a page.
 * @param page number of the page, counted from 1
 */
export const isFilteredOn = ({ choiceFilter = [] }: Question, q: Questionnaire, page: number): boolean =>
  choiceFilter.some(({ question }) => questionNamed(question, q)?.page === page)

/**
 * Returns whether the visibility or the choices of a question depend on the answer to a question on a page. A random
 * group is known before the page is shown.
 * @param page number of the page, counted from 1
 */
export const dependsOn = (question: Question, q: Questionnaire, page: number): boolean =>
  isFilteredOn(question, q, page) ||
  (question.condition !== undefined &&
    questionsOf(question.condition, q).some(({ page: of, kind }) => of === page && !isAssigned(kind)))

/**
 * Returns a text that identifies a list of offered choices. A page contains it, so that the service knows which choices
 * the respondent saw.
 */
export const offerKey = (offered: readonly Choice[]): string =>
  createHash('sha256')
    .update(offered.map(({ uid }) => uid).join())
    .digest('base64url')
    .slice(0, 12)
