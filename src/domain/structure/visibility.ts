import { holds } from './condition.ts'
import type { Answer, Answers, Page, Question, Questionnaire } from './questionnaire.ts'

/** The visible questions of a survey for some answers. */
interface Visibility {
  /** The answers without those of hidden questions. */
  kept: Answers
  visible: ReadonlySet<Question>
}

/** Caches visibility by answers object, so that each condition is evaluated once. Answers are never changed in place. */
const known = new WeakMap<Questionnaire, WeakMap<Answers, Visibility>>()

/** Reports whether a question is visible: its own condition and that of its page hold. */
export const isVisible = (question: Question, q: Questionnaire, answers: Answers): boolean =>
  visibilityOf(q, answers).visible.has(question)

/** Returns the visible questions of a page (by number, from 1); none if the page is hidden. */
export function visibleQuestions(q: Questionnaire, page: number | Page, answers: Answers): Question[] {
  const shown = typeof page === 'number' ? q.pages[page - 1] : page
  const { visible } = visibilityOf(q, answers)
  return shown?.questions.filter((question) => visible.has(question)) ?? []
}

/**
 * Returns the answers without those of hidden questions, which are not stored. Questions are evaluated in order, each
 * with the remaining earlier answers, so hiding a question also hides the questions that depend on it. Answers of
 * removed questions are kept.
 * @returns the same object when nothing is hidden
 */
export const dropHidden = (q: Questionnaire, answers: Answers): Answers => visibilityOf(q, answers).kept

function visibilityOf(q: Questionnaire, answers: Answers): Visibility {
  const ofSurvey = known.get(q) ?? new WeakMap<Answers, Visibility>()
  known.set(q, ofSurvey)
  const found = ofSurvey.get(answers)
  if (found) return found
  const visibility = evaluate(q, answers)
  ofSurvey.set(answers, visibility)
  ofSurvey.set(visibility.kept, visibility)
  return visibility
}

function evaluate(q: Questionnaire, answers: Answers): Visibility {
  const visible = new Set<Question>()
  let kept: Record<string, Answer> | undefined
  for (const page of q.pages) {
    const pageShown = !page.condition || holds(page.condition, q, kept ?? answers)
    for (const question of page.questions) {
      if (pageShown && (!question.condition || holds(question.condition, q, kept ?? answers))) {
        visible.add(question)
        continue
      }
      for (const { key } of question.fields) {
        if (!Object.hasOwn(kept ?? answers, key)) continue
        kept ??= Object.assign(Object.create(null) as Record<string, Answer>, answers)
        delete kept[key]
      }
    }
  }
  return { kept: kept ?? answers, visible }
}
