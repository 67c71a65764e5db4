import type { Question, Questionnaire } from '../structure/questionnaire.ts'
import { type Predicate, predicatesOf } from './predicate.ts'

/** The predicates of the three states. Every response has exactly one of them. */
export const STATES: readonly Predicate[] = [0, 1, 2].map((state) => ({ kind: 'state', state }))

/** Returns the questions that can be answered, in the order of the survey. */
export const reportedQuestions = ({ questions }: Questionnaire): Question[] =>
  questions.filter(({ fields }) => fields.length > 0)

/** Returns the predicate “at least one row is answered” of a grid; none for other questions. */
export const anyRowAnswered = ({ rows, fields }: Question): Predicate[] =>
  rows.length > 0 ? [{ kind: 'answered', keys: fields.map(({ storedKey }) => storedKey) }] : []

/** Returns the predicates that a report counts. */
export const reportPredicates = (q: Questionnaire): Predicate[] => [
  ...STATES,
  ...reportedQuestions(q).flatMap((question) => [
    ...anyRowAnswered(question),
    ...question.fields.flatMap(predicatesOf),
  ]),
]
