import { holds } from './condition.ts'
import type { Answer, Answers, Page, Question, Questionnaire } from './questionnaire.ts'

/** Whether these answers show a question: its page's condition and its own hold. */
export function isVisible(question: Question, q: Questionnaire, answers: Answers): boolean {
  const page = q.pages[question.page - 1]
  if (page?.condition && !holds(page.condition, q, answers)) return false
  return !question.condition || holds(question.condition, q, answers)
}

/** The questions of a page (by number, from 1) that these answers show; none where the page itself is hidden. */
export function visibleQuestions(q: Questionnaire, page: number | Page, answers: Answers): Question[] {
  const shown = typeof page === 'number' ? q.pages[page - 1] : page
  return shown?.questions.filter((question) => isVisible(question, q, answers)) ?? []
}

/**
 * The answers without those of hidden questions, which are not stored. Questions are judged in order, each by what is
 * left of the earlier answers, so hiding one also hides what depends on it. The same object when nothing is hidden.
 * Keys of no question are kept: answers of removed questions stay.
 */
export function dropHidden(q: Questionnaire, answers: Answers): Answers {
  let kept: Record<string, Answer> | undefined
  for (const question of q.questions) {
    if (!question.condition && !q.pages[question.page - 1]?.condition) continue
    if (isVisible(question, q, kept ?? answers)) continue
    for (const { key } of question.fields) {
      if (!Object.hasOwn(kept ?? answers, key)) continue
      kept ??= Object.assign(Object.create(null) as Record<string, Answer>, answers)
      delete kept[key]
    }
  }
  return kept ?? answers
}
