import { namesOf } from '../structure/condition.ts'
import type { Condition, Question, Questionnaire, Rule } from '../structure/questionnaire.ts'
import { questionNamed } from '../structure/text.ts'

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
 * Returns whether the visibility or the choices of a question depend on the answer to a question on a page.
 * @param page number of the page, counted from 1
 */
export const dependsOn = (question: Question, q: Questionnaire, page: number): boolean =>
  isFilteredOn(question, q, page) ||
  (question.condition !== undefined && questionsOf(question.condition, q).some((earlier) => earlier.page === page))
