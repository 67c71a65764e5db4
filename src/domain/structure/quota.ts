import { holds } from './condition.ts'
import type { Answers, Questionnaire, Quota } from './questionnaire.ts'

/** The quotas a response with these answers counts towards. One without a condition counts every response. */
export const quotasMet = (q: Questionnaire, answers: Answers): Quota[] =>
  q.quotas.filter(({ when }) => !when || holds(when, q, answers))
