import { answerFields, answerTo, isAnswer, isList } from './answered.ts'
import { instantOf } from './datetime.ts'
import type { Answer, Answers, Field, Question, Questionnaire } from './questionnaire.ts'
import { choiceAt, isRemoved } from './stored.ts'

/** An answer to a field, with the values that rules compare. */
export interface ComparedAnswer {
  value: Answer
  /** The number or the time of the answer; NaN if it cannot be ordered. */
  number: number
  /** The answer as lower-case text, see {@link foldedText}. */
  folded?: string
}

/** Returns an answer as a text without differences of letter case. */
export const foldedText = (answer: ComparedAnswer): string => {
  answer.folded ??= String(answer.value).toLowerCase()
  return answer.folded
}

/** A question or one of its fields, to which rules and calculations refer by a name. */
export type Subject = Question | Field

/** Returns the field of a response key, or the question with an id or identifier. */
export const subjectOf = (name: string, q: Questionnaire): Subject | undefined =>
  q.byKey.get(name) ?? q.byId.get(name) ?? q.byIdentifier.get(name)

const isQuestion = (subject: Subject): subject is Question => 'fields' in subject

/** Returns the fields to which a subject refers, such as the rows of a grid. */
export const fieldsOf = (subject: Subject): readonly Field[] =>
  isQuestion(subject) ? answerFields(subject) : [subject]

/**
 * Caches what rules and calculations read from answers, so that a rule does not convert every row of a grid again. A
 * cache belongs to one evaluation. If an answer changes, call {@link forget}.
 */
export class AnswerCache {
  readonly #compared = new Map<Subject, readonly ComparedAnswer[]>()
  readonly #sums = new Map<Subject, number | null>()

  /** Returns the answers to a question or a field. Blank answers are left out. */
  compared(subject: Subject, answers: Answers): readonly ComparedAnswer[] {
    const cached = this.#compared.get(subject)
    if (cached) return cached
    const compared: ComparedAnswer[] = []
    const fields = fieldsOf(subject)
    evaluationWork.answers += fields.length
    for (const field of fields) {
      const value = answerTo(answers, field.key)
      if (isAnswer(value)) compared.push({ value, number: orderOf(value, field) })
    }
    this.#compared.set(subject, compared)
    return compared
  }

  /**
   * Returns the value of a question or of a grid row for a calculation: the sum of its answers, each converted to a
   * number; null if no answer can be converted.
   */
  sum(subject: Subject, answers: Answers): number | null {
    const cached = this.#sums.get(subject)
    if (cached !== undefined) return cached
    let sum: number | null = null
    const fields = fieldsOf(subject)
    evaluationWork.answers += fields.length
    for (const field of fields) {
      if (field.type === 'other') continue
      const answer = answerTo(answers, field.key)
      const number = answer === undefined ? null : summandOf(field, answer)
      if (number !== null) sum = (sum ?? 0) + number
    }
    this.#sums.set(subject, sum)
    return sum
  }

  /** Removes what is cached for a question, because its answers have changed. */
  forget(question: Question): void {
    for (const subject of [question, ...question.fields]) {
      this.#compared.delete(subject)
      this.#sums.delete(subject)
    }
  }
}

/** Returns the number by which an answer is ordered: a number or, for a datetime question, a time. */
function orderOf(value: Answer, field: Field): number {
  if (field.type === 'datetime') return instantOf(String(value))
  // A removed choice has no position, so it cannot be compared with others.
  if (typeof value === 'boolean' || isList(value) || (field.renumbered && isRemoved(value))) return Number.NaN
  return numberOf(value)
}

/** Matches decimal numbers without an exponent, with at most 30 digits before and after the point. */
export const DECIMAL = '^-?[0-9]{1,30}(\\.[0-9]{1,30})?$'
const DECIMAL_PATTERN = new RegExp(DECIMAL)

/** Returns the number in an answer or in the value of a rule, as filters read it; NaN if there is none. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && DECIMAL_PATTERN.test(value) ? Number(value) : Number.NaN
}

/**
 * Returns an answer as a number: a number itself, the number in a numeric text, or the score of the selected choices.
 */
function summandOf(field: Field, value: Answer): number | null {
  if (field.type === 'decimal') return typeof value === 'number' ? value : null
  if (typeof value !== 'string') return answerScore(field, value)
  const text = value.trim()
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : null
}

/** Returns the score of one answer, or null if the answer has no score. */
export function answerScore(field: Field, value: Answer): number | null {
  if (field.type === 'ranking') return null
  if (typeof value === 'boolean') return field.choices[value ? 0 : 1]?.score ?? null
  if (typeof value === 'number') return scoreAt(field, value)
  if (!isList(value)) return null
  const scores = value.flatMap((index) => field.choices[index]?.score ?? [])
  return scores.length === 0 ? null : scores.reduce((total, score) => total + score, 0)
}

function scoreAt(field: Field, index: number): number | null {
  const choice = choiceAt(field, index)
  return choice && choice.weight === undefined ? choice.score : null
}

/** The work of evaluating conditions and calculations in this process since it started. Tests and benchmarks read it. */
export const evaluationWork = {
  /** Comparisons of an answer with the value of a rule. */
  comparisons: 0,
  /** Pages whose conditions were evaluated. */
  pages: 0,
  /** Answers that were converted for rules or added up for calculations. */
  answers: 0,
}
