import { isAutomatic, typeOf } from '../../questions/index.ts'
import { AnswerCache, evaluationWork, fieldsOf, subjectOf } from './answer-cache.ts'
import { answerTo, isAnswered } from './answered.ts'
import { offeredAnswer, offeredChoices } from './choice-filter.ts'
import { holds } from './condition.ts'
import { evaluate } from './expression.ts'
import { MAX_NUMBER } from './number.ts'
import type { Answer, Answers, Choice, Condition, Page, Question, Questionnaire, Rule } from './questionnaire.ts'
import { roundDecimal } from './round.ts'

/** The step after a page: another page (from 1) or the end of the survey. */
export type Step = { page: number } | 'complete' | 'terminate'

/**
 * The path of a survey with given answers: the pages that a respondent sees, and the questions on them. Skips and
 * conditions decide it, each with the answers to questions on the path before it, so a question that was left out
 * decides nothing. Pages are evaluated in order, and only as far as they are needed: a request for the first page does
 * not evaluate the pages after it.
 */
export class Evaluation {
  readonly #q: Questionnaire
  readonly #given: Answers
  readonly #cache = new AnswerCache()
  /** The visible questions of each evaluated page. */
  readonly #visible: Question[][] = []
  /** The given answers without those off the path; undefined as long as nothing differs. */
  #remaining: Record<string, Answer> | undefined
  #evaluatedPages = 0
  /** The pages on the path that were evaluated, in order. */
  readonly #pages: number[] = []
  readonly #positions = new Map<number, number>()
  /** The last page on the path whose skips have not been evaluated. */
  #lastPage: Page | undefined
  /** The next page that can be on the path. */
  #from = 1
  #end: 'complete' | 'terminate' = 'complete'
  readonly #skipped = new Set<number>()
  /** The choices of the questions whose choices are filtered. */
  readonly #offered = new Map<Question, readonly Choice[]>()
  /** The questions that would be visible if they offered a choice. */
  readonly #withoutChoice = new Set<Question>()
  readonly #givenCache = new AnswerCache()

  constructor(q: Questionnaire, given: Answers) {
    this.#q = q
    this.#given = given
  }

  /** Returns the visible questions of a page (by number, from 1); none if the page is not on the path. */
  visibleQuestions(page: number): readonly Question[] {
    this.#evaluateUntil(page)
    return this.#visible[page - 1] ?? []
  }

  /**
   * Returns the questions that a page (by number, from 1) shows: the visible ones or, if a skip leaves out the page, those
   * whose conditions hold. Authors preview every page, and a page can have left the path since it was opened.
   */
  shownQuestions(page: number): readonly Question[] {
    this.#evaluateUntil(page)
    if (!this.#skipped.has(page)) return this.visibleQuestions(page)
    const { condition, questions = [] } = this.#q.pages[page - 1] ?? {}
    const isHolding = (one: Condition | undefined) => !one || holds(one, this.#q, this.#given, this.#givenCache)
    return isHolding(condition)
      ? questions.filter(
          (question) => isHolding(question.condition) && isAskable(question, this.offeredChoices(question)),
        )
      : []
  }

  /**
   * Returns the question of the same page that a respondent has to answer before a question offers a choice; undefined if
   * there is none.
   */
  waitsFor(question: Question): Question | undefined {
    this.#evaluateUntil(question.page)
    if (!this.#withoutChoice.has(question)) return undefined
    return question.choiceFilter
      ?.map(({ question: name }) => subjectOf(name, this.#q))
      .filter(
        (subject) => subject !== undefined && fieldsOf(subject).every(({ key }) => !isAnswered(this.#answers, key)),
      )
      .map((subject) => ('fields' in subject! ? subject : subject!.question))
      .find((earlier) => earlier.page === question.page && this.visibleQuestions(earlier.page).includes(earlier))
  }

  /** Returns the choices that a question offers: all of them, unless an earlier answer filters them. */
  offeredChoices(question: Question): readonly Choice[] {
    if (!question.choiceFilter) return question.choices
    this.#evaluateUntil(question.page)
    const answers = this.#skipped.has(question.page) ? this.#given : this.#answers
    const offered = this.#offered.get(question) ?? offeredChoices(question, this.#q, answers)
    this.#offered.set(question, offered)
    return offered
  }

  /**
   * Returns the first page of the path after a page (by number, from 1), or how the survey ends after it. Every page on
   * the path shows something.
   */
  stepAfter(page: number): Step {
    for (;;) {
      const next = this.#nextEvaluated(page)
      if (next !== undefined) return { page: next }
      if (this.#evaluatedPages >= this.#q.pages.length || this.#from > this.#q.pages.length) break
      this.#evaluateUntil(this.#evaluatedPages + 1)
    }
    this.#leaveLastPage()
    return this.#end
  }

  /** Returns whether a page (by number, from 1) is on the path and shows something. */
  isOnPath(page: number): boolean {
    this.#evaluateUntil(page)
    return this.#positions.has(page)
  }

  /** Returns the first evaluated page of the path after a page. */
  #nextEvaluated(page: number): number | undefined {
    const position = this.#positions.get(page)
    return position === undefined ? this.#pages.find((number) => number > page) : this.#pages[position + 1]
  }

  /** Returns the answer to a question on the path. */
  answerTo(question: Question, key: string): Answer | undefined {
    this.#evaluateUntil(question.page)
    return answerTo(this.#answers, key)
  }

  /** Reports whether a condition holds for a respondent who has reached a page (by number, from 1). */
  holds(condition: Condition | Rule, page: number): boolean {
    this.#evaluateUntil(page)
    return holds(condition, this.#q, this.#answers, this.#cache)
  }

  /** Returns the answers to all questions on the path. */
  answersOnPath(): Answers {
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
    this.#leaveLastPage()
    const isSkipped = page.number < this.#from
    if (isSkipped) this.#skipped.add(page.number)
    else evaluationWork.pages++
    const isHolding = (condition: Condition | undefined) =>
      !condition || holds(condition, this.#q, this.#answers, this.#cache)
    const isPageVisible = !isSkipped && isHolding(page.condition)
    // Hidden fields and calculations show nothing: a page with nothing else is passed, but its skips are followed.
    let hasContent = false
    const visible: Question[] = []
    this.#visible.push(visible)
    for (const question of page.questions) {
      if (!isPageVisible || !isHolding(question.condition) || !this.#offersChoices(question)) {
        // Hidden fields describe the respondent, so they are on every path.
        if (typeOf(question.kind)?.answeredBy !== 'link')
          for (const { key } of question.fields) this.#set(question, key, undefined)
        continue
      }
      visible.push(question)
      this.#lastPage = page
      hasContent ||= !isAutomatic(question.kind)
      if (typeOf(question.kind)?.answeredBy === 'calculation')
        this.#set(question, question.id, calculatedValue(question, this.#q, this.#answers, this.#cache))
    }
    if (hasContent) this.#positions.set(page.number, this.#pages.push(page.number) - 1)
  }

  /**
   * Reports whether a question offers a choice, if an earlier answer filters its choices. An answer that is not offered
   * is not on the path.
   */
  #offersChoices(question: Question): boolean {
    if (!question.choiceFilter) return true
    const offered = offeredChoices(question, this.#q, this.#answers)
    this.#offered.set(question, offered)
    const { key } = question.fields[0]!
    const value = answerTo(this.#answers, key)
    const remaining = value === undefined ? undefined : offeredAnswer(value, offered)
    if (remaining !== value) {
      this.#set(question, key, remaining)
      if (!offered.some(({ other }) => other)) this.#set(question, `${key}\\other`, undefined)
    }
    if (offered.length === 0) this.#withoutChoice.add(question)
    return offered.length > 0
  }

  /**
   * Evaluates the skips of the last page on the path. The first one whose condition is true applies. A skip to an
   * earlier page is ignored, so respondents always move forwards.
   */
  #leaveLastPage(): void {
    const page = this.#lastPage
    if (!page) return
    this.#lastPage = undefined
    const skip = page.skips.find(
      ({ when, to }) =>
        (typeof to === 'string' || to > page.number) && (!when || holds(when, this.#q, this.#answers, this.#cache)),
    )
    this.#from = typeof skip?.to === 'number' ? skip.to : page.number + 1
    if (typeof skip?.to !== 'string') return
    this.#end = skip.to
    this.#from = Number.POSITIVE_INFINITY
  }

  #set(question: Question, key: string, value: Answer | undefined): void {
    if (value === undefined ? !Object.hasOwn(this.#answers, key) : answerTo(this.#answers, key) === value) return
    this.#remaining ??= Object.assign(Object.create(null) as Record<string, Answer>, this.#given)
    if (value === undefined) delete this.#remaining[key]
    else this.#remaining[key] = value
    this.#cache.forget(question)
  }
}

/** Reports whether a question can be answered: no filter leaves out all of its choices. */
const isAskable = ({ choiceFilter }: Question, offered: readonly Choice[]): boolean =>
  !choiceFilter || offered.length > 0

/**
 * Cache by answers object, so that each condition is evaluated once. This works because objects of answers are never
 * changed.
 */
const evaluations = new WeakMap<Questionnaire, WeakMap<Answers, Evaluation>>()

/** Returns the evaluation of a survey with these answers. */
export function evaluationOf(q: Questionnaire, answers: Answers): Evaluation {
  let byAnswers = evaluations.get(q)
  if (!byAnswers) {
    byAnswers = new WeakMap()
    evaluations.set(q, byAnswers)
  }
  let evaluation = byAnswers.get(answers)
  if (!evaluation) {
    evaluation = new Evaluation(q, answers)
    byAnswers.set(answers, evaluation)
  }
  return evaluation
}

/**
 * Drops the cached evaluations of a survey. Those of many answers in a row would survive small garbage collections,
 * because the map is older than they are.
 */
export const forgetEvaluations = (q: Questionnaire): boolean => evaluations.delete(q)

/** Returns the questions that a page (by number, from 1) shows, whether or not the page is on the path. */
export const shownQuestions = (q: Questionnaire, page: number, answers: Answers): readonly Question[] =>
  evaluationOf(q, answers).shownQuestions(page)

/** Returns the choices that a question offers: all of them, unless an earlier answer filters them. */
export const choicesOffered = (q: Questionnaire, question: Question, answers: Answers): readonly Choice[] =>
  question.choiceFilter ? evaluationOf(q, answers).offeredChoices(question) : question.choices

/**
 * Returns the question of the same page that a respondent has to answer before a question offers a choice; undefined if
 * there is none.
 */
export const waitsFor = (q: Questionnaire, question: Question, answers: Answers): Question | undefined =>
  question.choiceFilter && evaluationOf(q, answers).waitsFor(question)

/**
 * Returns the answers to the questions on the path, with the values of calculations. Everything that answers decide
 * sees only these: conditions, calculations, quotas, scores, placeholders, and what a complete response contains. If a
 * question is left out, the questions that depend on its answer are left out too. Answers to removed questions are
 * kept.
 * @returns the same object if nothing changes
 */
export function answersOnPath(q: Questionnaire, answers: Answers): Answers {
  const evaluation = evaluationOf(q, answers)
  const onPath = evaluation.answersOnPath()
  evaluations.get(q)!.set(onPath, evaluation)
  return onPath
}

/** The questions from which answers are derived. */
interface Derived {
  calculations: readonly Question[]
  /** Questions whose answers imply further ones. */
  implying: readonly Question[]
}

const derivedCache = new WeakMap<Questionnaire, Derived>()

function derivedOf(q: Questionnaire): Derived {
  const cached = derivedCache.get(q) ?? {
    calculations: q.questions.filter(({ kind }) => typeOf(kind)?.answeredBy === 'calculation'),
    implying: q.questions.filter(({ kind }) => typeOf(kind)?.impliedAnswers),
  }
  derivedCache.set(q, cached)
  return cached
}

/**
 * Returns answers with the ones that they imply, and with the present values of calculations. Unlike
 * {@link answersOnPath}, keeps the answers off the path: an incomplete response keeps them, so that a respondent who
 * comes to their questions again sees them, and a program can send any answer.
 * @returns the same object if nothing is derived
 */
export function withDerivedAnswers(q: Questionnaire, given: Answers): Answers {
  const { calculations, implying } = derivedOf(q)
  const answers = withImpliedAnswers(implying, given)
  if (calculations.length === 0) return answers
  const evaluation = evaluationOf(q, answers)
  const onPath = evaluation.answersOnPath()
  const calculated: Record<string, Answer> = Object.assign(Object.create(null), answers)
  for (const { id } of calculations) {
    const value = answerTo(onPath, id)
    if (value === undefined) delete calculated[id]
    else calculated[id] = value
  }
  evaluations.get(q)!.set(calculated, evaluation)
  return calculated
}

function withImpliedAnswers(implying: readonly Question[], answers: Answers): Answers {
  const implied = implying.map((question) =>
    typeOf(question.kind)!.impliedAnswers!(question, ({ key }) => answerTo(answers, key)),
  )
  return implied.some((one) => Object.keys(one).length > 0) ? Object.assign({}, answers, ...implied) : answers
}

/**
 * Returns the value of a calculation, rounded to its decimal places. An answer in an expression is the sum of the
 * answers to the question or the grid row.
 * @returns undefined if an answer that the calculation needs is missing, or the result is not a number or too large
 */
export function calculatedValue(
  { expression, decimals = 0 }: Question,
  q: Questionnaire,
  answers: Answers,
  cache: AnswerCache,
): number | undefined {
  if (!expression) return undefined
  const value = evaluate(expression, (name) => {
    const subject = subjectOf(name, q)
    return subject ? cache.sum(subject, answers) : null
  })
  if (value === null || !Number.isFinite(value) || Math.abs(value) > MAX_NUMBER) return undefined
  return roundDecimal(value, decimals)
}
