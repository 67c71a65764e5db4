import type { Condition, Question, Questionnaire, Rule } from '../structure/questionnaire.ts'

/** Returns the questions to which a condition refers. Unknown names are ignored. */
function questionsOf(condition: Condition | Rule, q: Questionnaire): Question[] {
  if ('all' in condition) return condition.all.flatMap((part) => questionsOf(part, q))
  if ('any' in condition) return condition.any.flatMap((part) => questionsOf(part, q))
  const { question: name } = condition
  const question = q.byKey.get(name)?.question ?? q.byId.get(name) ?? q.byIdentifier.get(name)
  return question ? [question] : []
}

/**
 * Returns whether the visibility of a question depends on the answer to a question on a page.
 * @param page number of the page, counted from 1
 */
export const dependsOn = ({ condition }: Question, q: Questionnaire, page: number): boolean =>
  condition !== undefined && questionsOf(condition, q).some((question) => question.page === page)
