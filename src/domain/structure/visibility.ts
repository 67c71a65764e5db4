import { answerTo } from './answered.ts'
import { calculatedValue } from './calculation.ts'
import { holds } from './condition.ts'
import type { Answer, Answers, Page, Question, Questionnaire } from './questionnaire.ts'

/** The visible questions of a survey for given answers. */
interface Visibility {
  /** The answers to visible questions. */
  visibleAnswers: Answers
  questions: ReadonlySet<Question>
}

/**
 * Cache by answers object, so that each condition is evaluated once. This works because objects of answers are never
 * changed.
 */
const visibilityCache = new WeakMap<Questionnaire, WeakMap<Answers, Visibility>>()

/** Reports whether a question is visible: the condition of the question and the condition of its page are both true. */
export const isVisible = (question: Question, q: Questionnaire, answers: Answers): boolean =>
  visibilityOf(q, answers).questions.has(question)

/** Returns the visible questions of a page (by number, from 1); none if the page is hidden. */
export function visibleQuestions(q: Questionnaire, page: number | Page, answers: Answers): Question[] {
  const pageModel = typeof page === 'number' ? q.pages[page - 1] : page
  const { questions } = visibilityOf(q, answers)
  return pageModel?.questions.filter((question) => questions.has(question)) ?? []
}

/**
 * Removes the answers to hidden questions, because a complete or terminated response does not contain them. Updates the
 * values of calculations. Questions are evaluated in order, each with the remaining answers to the questions before it.
 * If a question is hidden, questions that depend on its answer are therefore hidden too. Answers to removed questions
 * are kept.
 * @returns the same object if nothing changes
 */
export const dropHidden = (q: Questionnaire, answers: Answers): Answers => visibilityOf(q, answers).visibleAnswers

function visibilityOf(q: Questionnaire, answers: Answers): Visibility {
  const byAnswers = visibilityCache.get(q) ?? new WeakMap<Answers, Visibility>()
  visibilityCache.set(q, byAnswers)
  const cached = byAnswers.get(answers)
  if (cached) return cached
  const visibility = evaluate(q, answers)
  byAnswers.set(answers, visibility)
  byAnswers.set(visibility.visibleAnswers, visibility)
  return visibility
}

function evaluate(q: Questionnaire, answers: Answers): Visibility {
  const questions = new Set<Question>()
  let remaining: Record<string, Answer> | undefined
  for (const page of q.pages) {
    const isPageVisible = !page.condition || holds(page.condition, q, remaining ?? answers)
    for (const question of page.questions) {
      if (isPageVisible && (!question.condition || holds(question.condition, q, remaining ?? answers))) {
        questions.add(question)
        if (question.kind === 'calculation') setCalculated(question)
        continue
      }
      for (const { key } of question.fields) {
        if (!Object.hasOwn(remaining ?? answers, key)) continue
        remaining ??= Object.assign(Object.create(null) as Record<string, Answer>, answers)
        delete remaining[key]
      }
    }
  }
  return { visibleAnswers: remaining ?? answers, questions }

  function setCalculated(question: Question) {
    const { id } = question
    const value = calculatedValue(question, q, remaining ?? answers)
    if (value === answerTo(remaining ?? answers, id)) return
    remaining ??= Object.assign(Object.create(null) as Record<string, Answer>, answers)
    if (value === undefined) delete remaining[id]
    else remaining[id] = value
  }
}

const calculationsCache = new WeakMap<Questionnaire, readonly Question[]>()

function calculationsOf(q: Questionnaire): readonly Question[] {
  const cached = calculationsCache.get(q) ?? q.questions.filter(({ kind }) => kind === 'calculation')
  calculationsCache.set(q, cached)
  return cached
}

/**
 * Returns answers with the present values of calculations. Unlike {@link dropHidden}, keeps the answers to hidden
 * questions, because an incomplete response keeps them.
 * @returns the same object if the survey has no calculation
 */
export function withCalculations(q: Questionnaire, answers: Answers): Answers {
  const calculations = calculationsOf(q)
  if (calculations.length === 0) return answers
  const visibleAnswers = dropHidden(q, answers)
  const calculated: Record<string, Answer> = Object.assign(Object.create(null), answers)
  for (const { id } of calculations) {
    const value = answerTo(visibleAnswers, id)
    if (value === undefined) delete calculated[id]
    else calculated[id] = value
  }
  return calculated
}
