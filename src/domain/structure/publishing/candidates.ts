import { typeOf } from '../../../questions/index.ts'
import { choiceIndex } from '../choices.ts'
import { valueIn } from '../condition.ts'
import { instantOf } from '../datetime.ts'
import type { Answer, Field, Rule, RuleOperator } from '../questionnaire.ts'

/**
 * Returns answers to a field such that, if any answer fulfils a set of rules about this field, one of these does. The
 * answers are the limits that the rules name, and their neighbours. Returns undefined if there is no such small set.
 * A blank answer is not included.
 */
export function candidateAnswers(field: Field, rules: readonly Rule[]): Answer[] | undefined {
  const values = rules.flatMap((rule) => [valueIn(rule, field) ?? []].flat())
  switch (field.type) {
    case 'single':
    case 'number':
      return field.choices.map(({ index }) => index)
    case 'boolean':
      return typeOf(field.question.kind)?.onlyYes ? [true] : [true, false]
    case 'decimal':
      return numbersAround(field, values)
    case 'multi':
      return listsOf(field, rules)
    case 'string':
    case 'hidden':
    case 'other':
      return textsAround(rules, values)
    case 'datetime':
      return timesAround(field, values)
    default:
      return undefined
  }
}

/** Neighbours of larger numbers, in steps of the question, may not be exact. */
const MAX_EXACT = 1e11

function numbersAround({ question }: Field, values: readonly unknown[]): Answer[] | undefined {
  const { min, max, step, decimals, also = [] } = question
  const distance = step ?? 10 ** -(decimals ?? 0)
  const limits = [...values.map(Number), min ?? 0, max ?? 0].filter(Number.isFinite)
  if (limits.some((limit) => Math.abs(limit) > MAX_EXACT || Math.abs(limit) > MAX_EXACT * distance)) return undefined
  const numbers = limits.flatMap((limit) => {
    const steps = (limit - (min ?? 0)) / distance
    return [Math.floor(steps) - 1, Math.floor(steps), Math.ceil(steps), Math.ceil(steps) + 1].map((count) =>
      Number(((min ?? 0) + count * distance).toPrecision(12)),
    )
  })
  const accepted = numbers.filter((number) => number >= (min ?? -Infinity) && number <= (max ?? Infinity))
  return [...new Set([...accepted, ...also])]
}

/** Maximum number of choices of a multiple choice that rules name with `contains`. */
const MAX_CONTAINED = 6
/** Number of choices that no rule names and that are combined with the named ones. */
const OTHERS = 3

/** Returns the lists that rules name, and every combination of the choices that they require or exclude. */
function listsOf(field: Field, rules: readonly Rule[]): Answer[] | undefined {
  const indexOf = (value: unknown) => choiceIndex(field, value) ?? -1
  const valuesOf = (...ops: RuleOperator[]) =>
    rules.filter(({ op }) => ops.includes(op)).map((rule) => valueIn(rule, field))
  const named = valuesOf('eq', 'ne').map((value) => [value].flat().map(indexOf))
  const contained = [...new Set(valuesOf('contains', 'not_contains').map(indexOf))].filter((index) => index >= 0)
  if (contained.length > MAX_CONTAINED || valuesOf('lt', 'gt').length > 0) return undefined
  const others = field.choices.map(({ index }) => index).filter((index) => !contained.includes(index))
  const more = [[], others, ...others.slice(0, OTHERS).map((index) => [index])]
  return [...named, ...subsetsOf(contained).flatMap((subset) => more.map((list) => [...subset, ...list]))]
    .filter((list) => list.length > 0 && !list.includes(-1))
    .map((list) => [...new Set(list)].sort((a, b) => a - b))
}

function subsetsOf(items: readonly number[]): number[][] {
  const subsets: number[][] = [[]]
  for (const item of items) subsets.push(...subsets.map((subset) => [...subset, item]))
  return subsets
}

function textsAround(rules: readonly Rule[], values: readonly unknown[]): Answer[] | undefined {
  const ops = new Set(rules.map(({ op }) => op))
  const searches = rules.filter(({ op }) => op === 'contains' || op === 'not_contains')
  if (searches.length > 0 && (ops.has('lt') || ops.has('gt'))) return undefined
  const terms = searches.map(({ value }) => String(value))
  if (terms.length > 1) return undefined
  const numbers = values.map(Number).filter(Number.isFinite)
  return [
    '\u{1f9ed}',
    ...values.map(String),
    ...terms.map((term) => `\u{1f9ed} ${term} \u{1f9ed}`),
    ...numbers.flatMap((number) => [number - 1e-9, number + 1e-9, number - 1, number + 1].map(String)),
  ]
}

const DAY_MS = 86_400_000

function timesAround({ question }: Field, values: readonly unknown[]): Answer[] | undefined {
  if (question.format !== 'date') return undefined
  const instants = values.map((value) => instantOf(String(value))).filter(Number.isFinite)
  const days = instants.flatMap((instant) =>
    [-DAY_MS, 0, DAY_MS].map((shift) => new Date(Math.floor((instant + shift) / DAY_MS) * DAY_MS)),
  )
  return ['2001-02-03', ...days.map((day) => day.toISOString().slice(0, 10))]
}
