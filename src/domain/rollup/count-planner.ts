import type { Condition, Filter, TimeColumn } from '../response/filter/condition.ts'
import type { Field, Questionnaire } from '../structure/questionnaire.ts'
import { numbersOf, type Predicate, predicatesOf } from './predicate.ts'
import { STATES } from './report-predicates.ts'

/** How sums tell how many responses pass a condition: those of slots together. */
export interface Term {
  predicates: readonly Predicate[]
  /** The way is open where nothing is counted under this one. */
  validUnless?: Predicate
}

/** A condition whose number is the sum of slots, or what they leave over. */
export interface Counted {
  /** Each of them is right where it is open. */
  terms: readonly Term[]
  /** Of the responses in these slots, those that are not in the slots of the way. */
  complementOf?: readonly Predicate[]
}

/** A condition on a time: from `since` on, before `before`, in milliseconds since 1970. */
export interface Bounds {
  column: TimeColumn
  since: number
  before: number
}

/** What sums over chunks of responses can tell of filters. */
export interface CountPlan {
  /** Where one of these is nothing, nothing passes. */
  counted: readonly Counted[]
  /** Outside of these nothing passes. */
  bounds: readonly Bounds[]
  /** How many pass, in a chunk that lies within all the bounds. Absent: sums alone do not tell. */
  exactTerm?: Counted
  /** Beside the bounds, `counted` is all that is asked: the marks of a chunk tell who passes all of it. */
  fullyIndexed: boolean
}

const COMPLETE = STATES[1]!
const ALL: Counted = { terms: [{ predicates: STATES }] }

const odd = (key: string, unlike: Extract<Predicate, { kind: 'odd' }>['unlike']): Predicate => ({
  kind: 'odd',
  key,
  unlike,
})
const chosen = (key: string, index: number): Predicate => ({ kind: 'chosen', key, index })

/** The same said by complete responses only; undefined: it is not counted. */
const amongComplete = (predicate: Predicate): Predicate | undefined =>
  predicate.kind === 'value' || predicate.kind === 'chosen' ? { ...predicate, complete: true } : undefined

/** All that has to be counted of a survey, beside what reports want, for {@link planCount}. */
export const listPredicates = (q: Questionnaire): Predicate[] => [
  ...STATES,
  ...q.questions.flatMap(({ fields }) => fields.flatMap(slotsOfField)),
]

function slotsOfField(field: Field): Predicate[] {
  const { storedKey: key, type, choices } = field
  if (choices.length === 0) return []
  const withComplete = (predicates: Predicate[]) => [
    ...predicates,
    ...predicates.map((predicate) => amongComplete(predicate)!),
  ]
  switch (type) {
    case 'single':
    case 'number':
      return [odd(key, 'number'), ...withComplete(predicatesOf(field))]
    case 'boolean':
      return [odd(key, 'boolean'), ...withComplete(predicatesOf(field))]
    case 'multi':
    case 'ranking':
      return [odd(key, 'list'), ...withComplete(numbersOf(field).map((uid) => chosen(key, uid)))]
    default:
      return []
  }
}

/** What sums can tell of filters; undefined: nothing. Without filters it is everything. */
export function planCount(filters: readonly Filter[]): CountPlan | undefined {
  const tests = filters.map(({ test }) => test)
  const bounds = tests.flatMap((test) => (test.kind === 'time' ? [boundsOf(test)] : []))
  const others = tests.filter(({ kind }) => kind !== 'time')
  const counted = others.flatMap((test) => countedOf(test) ?? [])
  if (filters.length > 0 && counted.length + bounds.length === 0) return undefined
  const isWhole = counted.length === others.length
  const exact = isWhole ? together(counted) : undefined
  return { counted, bounds, fullyIndexed: isWhole, ...(exact && { exactTerm: exact }) }
}

/** All of the conditions as one. */
function together(counted: readonly Counted[]): Counted | undefined {
  const [one, another, ...more] = counted
  if (!one) return ALL
  if (!another) return one
  if (more.length > 0) return undefined
  return isComplete(one) ? narrowed(another) : isComplete(another) ? narrowed(one) : undefined
}

const isComplete = ({ terms: ways, complementOf: outOf }: Counted): boolean =>
  !outOf && ways.every(({ predicates }) => predicates.length === 1 && predicates[0] === COMPLETE)

/** A condition on an answer, of complete responses. */
function narrowed({ terms: ways, complementOf: outOf }: Counted): Counted | undefined {
  const some = ways.map((way) => ({
    ...way,
    predicates: way.predicates.flatMap((predicate) => amongComplete(predicate) ?? []),
  }))
  if (some.some(({ predicates }, at) => predicates.length < ways[at]!.predicates.length)) return undefined
  return { terms: some, ...(outOf && { complementOf: [COMPLETE] }) }
}

function countedOf(test: Condition): Counted | undefined {
  if (test.kind === 'number' && test.column === 'completed') return statesOf(test)
  if (test.kind !== 'answer' || test.keys.length !== 1) return undefined
  const ways = waysOf(test.keys[0]!, test.values)
  return ways && { terms: ways, ...(test.negated && { complementOf: STATES }) }
}

function statesOf({ operator, value }: Extract<Condition, { kind: 'number' }>): Counted {
  const predicates = STATES.filter((predicate) => {
    if (predicate.kind !== 'state' || value === null) return false
    if (predicate.state === value) return operator.includes('=')
    return predicate.state < value ? operator.startsWith('<') : operator.startsWith('>')
  })
  return { terms: [{ predicates }] }
}

/**
 * An answer is compared by the type it has: beside a choice's number its text is asked for. Where all answers are of the
 * type that the question has now, no text is among them.
 */
function waysOf(key: string, values: readonly (string | number | boolean)[]): Term[] | undefined {
  const [value, ...more] = values.filter((one) => typeof one !== 'string')
  if (value === undefined || more.length > 0) return undefined
  const predicate: Predicate = { kind: 'value', key, value: String(value) }
  if (typeof value === 'boolean') return [{ predicates: [predicate], validUnless: odd(key, 'boolean') }]
  if (!Number.isSafeInteger(value) || value < 0) return undefined
  return [
    { predicates: [predicate], validUnless: odd(key, 'number') },
    { predicates: [chosen(key, value)], validUnless: odd(key, 'list') },
  ]
}

function boundsOf({ column, operator, from, before }: Extract<Condition, { kind: 'time' }>): Bounds {
  const [since, until] = {
    '=': [from, before],
    '<': [-Infinity, from],
    '<=': [-Infinity, before],
    '>': [before, Infinity],
    '>=': [from, Infinity],
  }[operator] as [number, number]
  return { column, since, before: until }
}
