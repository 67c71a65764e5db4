import { typeOf } from '../../questions/index.ts'
import { subjectOf } from './answer-cache.ts'
import { namesOf } from './condition.ts'
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
  { page, next, isFirst }: { page: number; next: number; isFirst: boolean },
): Quota[] {
  const counts = (when: Condition | undefined, before: number) =>
    !when || resultBefore(when, q, answers, before) === true
  return q.quotas.filter(({ when }) => counts(when, next) && (isFirst || !counts(when, page)))
}

/** Returns the result of a condition if the answers to the pages before a page determine it. */
function resultBefore(
  condition: Condition | Rule,
  q: Questionnaire,
  answers: Answers,
  page: number,
): boolean | undefined {
  if ('question' in condition) {
    const isKnown = namesOf(condition).every((name) => {
      const subject = subjectOf(name, q)
      const question = subject && ('fields' in subject ? subject : subject.question)
      return !question || question.page < page || typeOf(question.kind)?.answeredBy === 'link'
    })
    return isKnown ? evaluationOf(q, answers).holds(condition, page - 1) : undefined
  }
  const isAll = 'all' in condition
  let result: boolean | undefined = isAll
  for (const part of isAll ? condition.all : condition.any) {
    const value = resultBefore(part, q, answers, page)
    if (value === !isAll) return value
    if (value === undefined) result = undefined
  }
  return result
}
