import { holds } from './condition.ts'
import type { Answers, Questionnaire, Quota } from './questionnaire.ts'

/**
 * Returns the quotas that a response with these answers counts towards. Every response counts towards a quota without a
 * condition.
 */
export const matchingQuotas = (q: Questionnaire, answers: Answers): Quota[] =>
  q.quotas.filter(({ when }) => !when || holds(when, q, answers))
