import type { Question, Questionnaire } from '../structure/questionnaire.ts'
import { type Predicate, predicatesOf } from './predicate.ts'

/** The three states of a response: every response satisfies exactly one. */
export const STATES: readonly Predicate[] = [0, 1, 2].map((state) => ({ kind: 'state', state }))

/** Returns the questions that take an answer, in the order of the survey. */
export const reportedQuestions = ({ questions }: Questionnaire): Question[] =>
  questions.filter(({ fields }) => fields.length > 0)

/** Returns the predicate "any row of this grid is answered"; none for other questions. */
export const anyRowAnswered = ({ rows, fields }: Question): Predicate[] =>
  rows.length > 0 ? [{ kind: 'answered', keys: fields.map(({ storedKey }) => storedKey) }] : []

/** Returns the predicates that a report on a survey counts. */
export const reportPredicates = (q: Questionnaire): Predicate[] => [
  ...STATES,
  ...reportedQuestions(q).flatMap((question) => [
    ...anyRowAnswered(question),
    ...question.fields.flatMap(predicatesOf),
  ]),
]
