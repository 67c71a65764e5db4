import { holds } from './condition.ts'
import type { Answers, Questionnaire, Quota } from './questionnaire.ts'

/**
 * Returns the quotas that a response with these answers counts towards. A quota without a condition counts every
 * response.
 */
export const quotasMet = (q: Questionnaire, answers: Answers): Quota[] =>
  q.quotas.filter(({ when }) => !when || holds(when, q, answers))
