import { typeOf } from '../../questions/index.ts'
import { subjectOf } from './answer-cache.ts'
import { namesOf } from './condition.ts'
import { positionOf } from './page-order.ts'
import type { Answers, Condition, Questionnaire, Quota, Rule } from './questionnaire.ts'
import { evaluationOf } from './visibility.ts'

/**
 * Returns the quotas that a response with these answers counts towards. Every response counts towards a quota without a
 * condition.
 */
export const matchingQuotas = (q: Questionnaire, answers: Answers): Quota[] =>
  q.quotas.filter(({ when }) => !when || evaluationOf(q, answers).holds(when, q.pages.length))

/**
 * Returns the quotas that a submitted page settles: the response counts towards them whatever the answers to later pages
 * are, and this was not certain before.
 * @param page number of the submitted page
 * @param next number of the page that follows it
 * @param isFirst whether the submitted page is the first page of the path, which also settles quotas without a condition
 */
export function quotasSettledBy(
  q: Questionnaire,
  answers: Answers,
  { page, next, isFirst, seed }: { page: number; next: number; isFirst: boolean; seed?: string | undefined },
): Quota[] {
  const counts = (when: Condition | undefined, before: number) =>
    !when || resultBefore(when, q, answers, { page: before, seed }) === true
  return q.quotas.filter(({ when }) => counts(when, next) && (isFirst || !counts(when, page)))
}

/** Returns the result of a condition if the answers to the pages before a page determine it. */
function resultBefore(
  condition: Condition | Rule,
  q: Questionnaire,
  answers: Answers,
  before: { page: number; seed: string | undefined },
): boolean | undefined {
  if ('question' in condition) {
    const position = positionOf(q, before.page, before.seed)
    const questions = namesOf(condition).flatMap((name) => {
      const subject = subjectOf(name, q)
      return subject ? ('fields' in subject ? subject : subject.question) : []
    })
    const isKnown = questions.every(
      ({ page, kind }) => positionOf(q, page, before.seed) < position || typeOf(kind)?.answeredBy === 'link',
    )
    const last = Math.max(before.page - 1, ...questions.map(({ page }) => page))
    return isKnown ? evaluationOf(q, answers).holds(condition, last) : undefined
  }
  const isAll = 'all' in condition
  let result: boolean | undefined = isAll
  for (const part of isAll ? condition.all : condition.any) {
    const value = resultBefore(part, q, answers, before)
    if (value === !isAll) return value
    if (value === undefined) result = undefined
  }
  return result
}
