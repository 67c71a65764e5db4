import { AnswerCache } from './answer-cache.ts'
import { answerTo } from './answered.ts'
import { calculatedValue } from './calculation.ts'
import { holds } from './condition.ts'
import type { Answer, Answers, Condition, Page, Question, Questionnaire } from './questionnaire.ts'
import { evaluationWork } from './work.ts'

/**
 * The evaluation of the conditions and calculations of a survey with given answers. Pages are evaluated in order, and
 * only as far as they are needed: a request for the first page does not evaluate the pages after it.
 */
class Evaluation {
  readonly #q: Questionnaire
  readonly #given: Answers
  readonly #cache = new AnswerCache()
  readonly #visible = new Set<Question>()
  /** The given answers without those to hidden questions; undefined as long as nothing differs. */
  #remaining: Record<string, Answer> | undefined
  #evaluatedPages = 0

  constructor(q: Questionnaire, given: Answers) {
    this.#q = q
    this.#given = given
  }

  /** Returns the visible questions of a page (by number, from 1); none if the page is hidden. */
  visibleQuestions(page: number): Question[] {
    this.#evaluateUntil(page)
    return this.#q.pages[page - 1]?.questions.filter((question) => this.#visible.has(question)) ?? []
  }

  /** Reports whether a page (by number, from 1) has a visible question. */
  hasVisibleQuestions(page: number): boolean {
    this.#evaluateUntil(page)
    return this.#q.pages[page - 1]?.questions.some((question) => this.#visible.has(question)) ?? false
  }

  isVisible(question: Question): boolean {
    this.#evaluateUntil(question.page)
    return this.#visible.has(question)
  }

  /** Returns the answer to a visible question. */
  answerTo(question: Question, key: string): Answer | undefined {
    this.#evaluateUntil(question.page)
    return answerTo(this.#answers, key)
  }

  /** Reports whether a condition holds for a respondent who has reached a page (by number, from 1). */
  holds(condition: Condition, page: number): boolean {
    this.#evaluateUntil(page)
    return holds(condition, this.#q, this.#answers, this.#cache)
  }

  /** Returns the answers to all visible questions. */
  visibleAnswers(): Answers {
    this.#evaluateUntil(this.#q.pages.length)
    return this.#answers
  }

  get #answers(): Answers {
    return this.#remaining ?? this.#given
  }

  #evaluateUntil(page: number): void {
    for (; this.#evaluatedPages < Math.min(page, this.#q.pages.length); this.#evaluatedPages++)
      this.#evaluate(this.#q.pages[this.#evaluatedPages]!)
  }

  #evaluate(page: Page): void {
    evaluationWork.pages++
    const isHolding = (condition: Condition | undefined) =>
      !condition || holds(condition, this.#q, this.#answers, this.#cache)
    const isPageVisible = isHolding(page.condition)
    for (const question of page.questions) {
      if (!isPageVisible || !isHolding(question.condition)) {
        for (const { key } of question.fields) this.#set(question, key, undefined)
        continue
      }
      this.#visible.add(question)
      if (question.kind === 'calculation')
        this.#set(question, question.id, calculatedValue(question, this.#q, this.#answers, this.#cache))
    }
  }

  #set(question: Question, key: string, value: Answer | undefined): void {
    if (value === undefined ? !Object.hasOwn(this.#answers, key) : answerTo(this.#answers, key) === value) return
    this.#remaining ??= Object.assign(Object.create(null) as Record<string, Answer>, this.#given)
    if (value === undefined) delete this.#remaining[key]
    else this.#remaining[key] = value
    this.#cache.forget(question)
  }
}

/**
 * Cache by answers object, so that each condition is evaluated once. This works because objects of answers are never
 * changed.
 */
const evaluations = new WeakMap<Questionnaire, WeakMap<Answers, Evaluation>>()

/** Returns the evaluation of a survey with these answers. */
export function evaluationOf(q: Questionnaire, answers: Answers): Evaluation {
  const byAnswers = evaluations.get(q) ?? new WeakMap<Answers, Evaluation>()
  evaluations.set(q, byAnswers)
  const evaluation = byAnswers.get(answers) ?? new Evaluation(q, answers)
  byAnswers.set(answers, evaluation)
  return evaluation
}

/** Reports whether a question is visible: the condition of the question and the condition of its page are both true. */
export const isVisible = (question: Question, q: Questionnaire, answers: Answers): boolean =>
  evaluationOf(q, answers).isVisible(question)

/** Returns the visible questions of a page (by number, from 1); none if the page is hidden. */
export const visibleQuestions = (q: Questionnaire, page: number, answers: Answers): Question[] =>
  evaluationOf(q, answers).visibleQuestions(page)

/**
 * Removes the answers to hidden questions, because a complete or terminated response does not contain them. Updates the
 * values of calculations. Questions are evaluated in order, each with the remaining answers to the questions before it.
 * If a question is hidden, questions that depend on its answer are therefore hidden too. Answers to removed questions
 * are kept.
 * @returns the same object if nothing changes
 */
export function dropHidden(q: Questionnaire, answers: Answers): Answers {
  const evaluation = evaluationOf(q, answers)
  const visibleAnswers = evaluation.visibleAnswers()
  evaluations.get(q)!.set(visibleAnswers, evaluation)
  return visibleAnswers
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
