import { typeOf } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import type { QuestionOutline } from './outline.ts'
import type { Condition, Questionnaire, Rule, RuleOperator } from './questionnaire.ts'
import { arrayOf, type FieldErrors } from './walk.ts'

/**
 * The cost model of a structure. Anyone can send the requests that evaluate it, so what a request costs must not grow
 * with a product of two sizes, such as the number of rules times the rows of the grid to which they refer.
 */

/**
 * Maximum number of comparisons for which a structure can make one evaluation of all its conditions, skips, quotas,
 * calculations and filters of choices. A rule compares each row of a grid, and a filter each choice.
 */
export const MAX_COMPARISONS = 100_000
/** Maximum number of these comparisons that search a text. */
export const MAX_SEARCH_COMPARISONS = 10_000
/** Maximum number of rules of a structure. */
export const MAX_RULES = 10_000
/** Maximum number of rules that search a text. */
export const MAX_SEARCH_RULES = 1000
/** Maximum number of placeholders in the texts of a page. */
export const MAX_PAGE_PLACEHOLDERS = 100_000

/** Adds up the cost of an authored structure, and reports the first place with which a maximum is exceeded. */
export class StructureCost {
  /** How often that which is added next is repeated. */
  times = 1
  readonly #errors: FieldErrors
  #rules = 0
  #searchRules = 0
  #comparisons = 0
  #searches = 0

  constructor(errors: FieldErrors) {
    this.#errors = errors
  }

  /**
   * Adds a rule.
   * @param fields number of fields that the rule compares; see {@link fieldCountOf}
   * @param values number of values with which each is compared
   */
  addRule(pointer: string, op: RuleOperator | undefined, fields: number, values: number): void {
    const earlier = this.#rules
    this.#rules += this.times
    if (earlier <= MAX_RULES && this.#rules > MAX_RULES)
      this.#errors.add(pointer, 'too_many', { max: MAX_RULES }, detail('too_many_rules', { max: MAX_RULES }))
    this.#addComparisons(pointer, fields * Math.max(1, values))
    if (op !== 'contains' && op !== 'not_contains') return
    const earlierSearches = this.#searchRules
    this.#searchRules += this.times
    if (earlierSearches <= MAX_SEARCH_RULES && this.#searchRules > MAX_SEARCH_RULES) {
      const values = { max: MAX_SEARCH_RULES }
      this.#errors.add(pointer, 'too_many', values, detail('too_many_searches', values))
    }
    const before = this.#searches
    this.#searches += fields * this.times
    if (before <= MAX_SEARCH_COMPARISONS && this.#searches > MAX_SEARCH_COMPARISONS) {
      const values = { max: MAX_SEARCH_COMPARISONS }
      this.#errors.add(pointer, 'too_complex', values, detail('search_comparisons', values))
    }
  }

  /** Adds a calculation with the fields of the answers, and the numbers, that its expression uses. */
  addCalculation(pointer: string, operands: number): void {
    this.#addComparisons(pointer, operands)
  }

  /** Adds a filter with the values of the choices that it compares. */
  addFilter(pointer: string, comparisons: number): void {
    this.#addComparisons(pointer, comparisons)
  }

  #addComparisons(pointer: string, comparisons: number): void {
    const before = this.#comparisons
    this.#comparisons += comparisons * this.times
    if (before > MAX_COMPARISONS || this.#comparisons <= MAX_COMPARISONS) return
    const values = { max: MAX_COMPARISONS }
    this.#errors.add(pointer, 'too_complex', values, detail('comparisons', values))
  }
}

/** Returns the number of fields to which a name of a question refers: the rows of a grid, otherwise one. */
export const fieldCountOf = ({ source, kind, id, identifier }: QuestionOutline, name: string): number =>
  typeOf(kind)?.grid && (name === id || name === identifier) ? arrayOf(source.children).length : 1

/**
 * Maximum number of characters that one evaluation of a survey searches. A search takes up to 5 ns for each character.
 */
const MAX_SEARCHED_CHARACTERS = 10_000_000
/** Maximum and minimum number of characters of an answer that a rule searches. */
const MAX_ANSWER_CHARACTERS = 10_000
const MIN_ANSWER_CHARACTERS = 10

const searchedCharactersCache = new WeakMap<Questionnaire, number>()

/**
 * Returns the number of characters of an answer that a `contains` rule of a survey searches; the rest is ignored. The
 * number is smaller for surveys with more than a thousand such comparisons.
 */
export function searchedCharacters(q: Questionnaire): number {
  const cached = searchedCharactersCache.get(q)
  if (cached !== undefined) return cached
  const share = Math.floor(MAX_SEARCHED_CHARACTERS / Math.max(1, searchComparisonsOf(q)))
  const characters = Math.max(MIN_ANSWER_CHARACTERS, Math.min(MAX_ANSWER_CHARACTERS, share))
  searchedCharactersCache.set(q, characters)
  return characters
}

function searchComparisonsOf(q: Questionnaire): number {
  const countIn = (condition: Condition | Rule | undefined): number => {
    if (!condition) return 0
    if ('all' in condition) return condition.all.reduce((sum, part) => sum + countIn(part), 0)
    if ('any' in condition) return condition.any.reduce((sum, part) => sum + countIn(part), 0)
    const { question: name, op } = condition
    return op === 'contains' || op === 'not_contains'
      ? q.byKey.has(name)
        ? 1
        : ((q.byId.get(name) ?? q.byIdentifier.get(name))?.fields.length ?? 0)
      : 0
  }
  const conditions = [
    ...q.pages.flatMap(({ condition, skips, questions }) => [
      condition,
      ...skips.map(({ when }) => when),
      ...questions.map((question) => question.condition),
    ]),
    ...q.quotas.map(({ when }) => when),
  ]
  return conditions.reduce((sum, condition) => sum + countIn(condition), 0)
}
