import { fieldsOf, type Subject, subjectOf } from '../answer-cache.ts'
import { holds, isNegated } from '../condition.ts'
import type { Answer, Condition, Question, Questionnaire, Rule } from '../questionnaire.ts'
import { candidateAnswers } from './candidates.ts'

/** A rule that holds, or does not hold. */
interface Fact {
  rule: Rule
  holds: boolean
}

/** Facts that are all true of some respondents, by the question or field that they are about. */
type Case = ReadonlyMap<Subject, readonly Fact[]>

/**
 * The respondents in a place of a survey: those to whom one of the cases applies. Without a case, no respondent can be
 * there. The cases can include respondents who cannot exist, but never leave out one who can.
 */
export type Respondents = readonly Case[]

export const EVERYONE: Respondents = [new Map()]
export const NO_ONE: Respondents = []

/** Maximum number of cases; if there were more, they are replaced by fewer facts. */
const MAX_CASES = 24
/** Maximum number of facts about one question. */
const MAX_FACTS = 200
/** Maximum number of facts that are merged and compared. Afterwards everything is regarded as possible. */
export const MAX_WORK = 300_000

/** Finds out which answers are possible together. The work for one survey is limited. */
export class PossibleAnswers {
  readonly #q: Questionnaire
  /** The number of facts that were merged and compared. */
  work = 0

  constructor(q: Questionnaire) {
    this.#q = q
  }

  /**
   * Returns the respondents for whom a condition holds, or does not hold.
   * @param answered the questions that everyone in this place has answered if they are required
   * @param answering returns the respondents who can answer a question
   */
  where(
    condition: Condition | Rule,
    isTrue: boolean,
    answered: ReadonlySet<Question>,
    answering: (question: Question) => Respondents,
  ): Respondents {
    if (this.work > MAX_WORK) return EVERYONE
    if ('question' in condition) return this.#whereRule(condition, isTrue, answered, answering)
    const parts = 'all' in condition ? condition.all : condition.any
    const each = parts.map((part) => this.where(part, isTrue, answered, answering))
    return 'all' in condition === isTrue
      ? each.reduce<Respondents>((all, part) => this.both(all, part, answered), EVERYONE)
      : this.either(...each)
  }

  #whereRule(
    rule: Rule,
    isTrue: boolean,
    answered: ReadonlySet<Question>,
    answering: (question: Question) => Respondents,
  ): Respondents {
    const named = subjectOf(rule.question, this.#q)
    if (!named) return isTrue === isNegated(rule) ? EVERYONE : NO_ONE
    // What two answers have to do with each other is not known.
    if (rule.answer !== undefined) return EVERYONE
    // A question with one field and this field are the same subject.
    const fields = fieldsOf(named)
    const subject = fields.length === 1 ? fields[0]! : named
    const one: Case = new Map([[subject, [{ rule, holds: isTrue }]]])
    if (!this.#isPossible(one, one.keys(), answered)) return NO_ONE
    const needsAnswer = isTrue !== isNegated(rule)
    const question = 'fields' in subject ? subject : subject.question
    return needsAnswer ? this.both([one], answering(question), answered) : [one]
  }

  /** Returns the respondents who are in both places. */
  both(a: Respondents, b: Respondents, answered: ReadonlySet<Question>): Respondents {
    if (b === EVERYONE || a.length * b.length > MAX_CASES * MAX_CASES || this.work > MAX_WORK) return a
    const cases = a.flatMap((one) =>
      b.flatMap((other) => {
        this.work += one.size + other.size
        const merged = merge(one, other)
        return this.#isPossible(merged, other.keys(), answered) ? [merged] : []
      }),
    )
    return cases.length > MAX_CASES ? a : cases
  }

  /** Returns the respondents who are in one of the places. */
  either(...places: Respondents[]): Respondents {
    const cases = places.flat()
    return cases.length > MAX_CASES || cases.some(({ size }) => size === 0) ? EVERYONE : cases
  }

  #isPossible(facts: Case, subjects: Iterable<Subject>, answered: ReadonlySet<Question>): boolean {
    for (const subject of subjects) {
      const own = facts.get(subject) ?? []
      if (!this.#hasAnswer(subject, own, answered)) return false
    }
    return true
  }

  /** Reports whether an answer, or no answer, agrees with all facts. If this is not known, returns true. */
  #hasAnswer(subject: Subject, facts: readonly Fact[], answered: ReadonlySet<Question>): boolean {
    const fields = fieldsOf(subject)
    const [field] = fields
    if (fields.length !== 1 || !field || facts.length > MAX_FACTS) return true
    const agrees = (value: Answer | undefined) => {
      const answers = value === undefined ? {} : { [field.key]: value }
      return facts.every((fact) => {
        this.work += Array.isArray(value) ? value.length : 1
        return this.work > MAX_WORK || holds(fact.rule, this.#q, answers) === fact.holds
      })
    }
    if (!(answered.has(field.question) && field.required) && agrees(undefined)) return true
    const candidates = candidateAnswers(
      field,
      facts.map(({ rule }) => rule),
    )
    return !candidates || candidates.some(agrees)
  }
}

function merge(a: Case, b: Case): Case {
  const merged = new Map(a)
  for (const [subject, facts] of b) {
    const own = merged.get(subject) ?? []
    const added = facts.filter((fact) => !own.some((one) => one.rule === fact.rule && one.holds === fact.holds))
    if (added.length > 0) merged.set(subject, [...own, ...added])
  }
  return merged
}
