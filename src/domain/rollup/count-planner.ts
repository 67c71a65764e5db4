import { STATES } from './question-stats.ts'
import { numbersOf, type Slot, slotsOf } from './predicate.ts'
import type { Field, Questionnaire } from '../structure/questionnaire.ts'
import type { Filter, Test, TimeColumn } from '../response/filter/condition.ts'

/** How sums tell how many responses pass a condition: those of slots together. */
export interface Way {
  slots: readonly Slot[]
  /** The way is open where nothing is counted under this one. */
  unless?: Slot
}

/** A condition whose number is the sum of slots, or what they leave over. */
export interface Counted {
  /** Each of them is right where it is open. */
  ways: readonly Way[]
  /** Of the responses in these slots, those that are not in the slots of the way. */
  outOf?: readonly Slot[]
}

/** A condition on a time: from `since` on, before `before`, in milliseconds since 1970. */
export interface Bounds {
  column: TimeColumn
  since: number
  before: number
}

/** What sums over chunks of responses can tell of filters. */
export interface Judgement {
  /** Where one of these is nothing, nothing passes. */
  counted: readonly Counted[]
  /** Outside of these nothing passes. */
  bounds: readonly Bounds[]
  /** How many pass, in a chunk that lies within all the bounds. Absent: sums alone do not tell. */
  exact?: Counted
  /** Beside the bounds, `counted` is all that is asked: the marks of a chunk tell who passes all of it. */
  isWhole: boolean
}

const COMPLETE = STATES[1]!
const ALL: Counted = { ways: [{ slots: STATES }] }

const odd = (key: string, unlike: Extract<Slot, { kind: 'odd' }>['unlike']): Slot => ({ kind: 'odd', key, unlike })
const chosen = (key: string, index: number): Slot => ({ kind: 'chosen', key, index })

/** The same said by complete responses only; undefined: it is not counted. */
const amongComplete = (slot: Slot): Slot | undefined =>
  slot.kind === 'value' || slot.kind === 'chosen' ? { ...slot, complete: true } : undefined

/** All that has to be counted of a survey, beside what reports want, for {@link judge}. */
export const listSlots = (q: Questionnaire): Slot[] => [
  ...STATES,
  ...q.questions.flatMap(({ fields }) => fields.flatMap(slotsOfField)),
]

function slotsOfField(field: Field): Slot[] {
  const { storedKey: key, type, choices } = field
  if (choices.length === 0) return []
  const withComplete = (slots: Slot[]) => [...slots, ...slots.map((slot) => amongComplete(slot)!)]
  switch (type) {
    case 'single':
    case 'number':
      return [odd(key, 'number'), ...withComplete(slotsOf(field))]
    case 'boolean':
      return [odd(key, 'boolean'), ...withComplete(slotsOf(field))]
    case 'multi':
    case 'ranking':
      return [odd(key, 'list'), ...withComplete(numbersOf(field).map((uid) => chosen(key, uid)))]
    default:
      return []
  }
}

/** What sums can tell of filters; undefined: nothing. Without filters it is everything. */
export function judge(filters: readonly Filter[]): Judgement | undefined {
  const tests = filters.map(({ test }) => test)
  const bounds = tests.flatMap((test) => (test.kind === 'time' ? [boundsOf(test)] : []))
  const others = tests.filter(({ kind }) => kind !== 'time')
  const counted = others.flatMap((test) => countedOf(test) ?? [])
  if (filters.length > 0 && counted.length + bounds.length === 0) return undefined
  const isWhole = counted.length === others.length
  const exact = isWhole ? together(counted) : undefined
  return { counted, bounds, isWhole, ...(exact && { exact }) }
}

/** All of the conditions as one. */
function together(counted: readonly Counted[]): Counted | undefined {
  const [one, another, ...more] = counted
  if (!one) return ALL
  if (!another) return one
  if (more.length > 0) return undefined
  return isComplete(one) ? narrowed(another) : isComplete(another) ? narrowed(one) : undefined
}

const isComplete = ({ ways, outOf }: Counted): boolean =>
  !outOf && ways.every(({ slots }) => slots.length === 1 && slots[0] === COMPLETE)

/** A condition on an answer, of complete responses. */
function narrowed({ ways, outOf }: Counted): Counted | undefined {
  const some = ways.map((way) => ({ ...way, slots: way.slots.flatMap((slot) => amongComplete(slot) ?? []) }))
  if (some.some(({ slots }, at) => slots.length < ways[at]!.slots.length)) return undefined
  return { ways: some, ...(outOf && { outOf: [COMPLETE] }) }
}

function countedOf(test: Test): Counted | undefined {
  if (test.kind === 'number' && test.column === 'completed') return statesOf(test)
  if (test.kind !== 'answer' || test.keys.length !== 1) return undefined
  const ways = waysOf(test.keys[0]!, test.values)
  return ways && { ways, ...(test.negated && { outOf: STATES }) }
}

function statesOf({ operator, value }: Extract<Test, { kind: 'number' }>): Counted {
  const slots = STATES.filter((slot) => {
    if (slot.kind !== 'state' || value === null) return false
    if (slot.state === value) return operator.includes('=')
    return slot.state < value ? operator.startsWith('<') : operator.startsWith('>')
  })
  return { ways: [{ slots }] }
}

/**
 * An answer is compared by the type it has: beside a choice's number its text is asked for. Where all answers are of the
 * type that the question has now, no text is among them.
 */
function waysOf(key: string, values: readonly (string | number | boolean)[]): Way[] | undefined {
  const [value, ...more] = values.filter((one) => typeof one !== 'string')
  if (value === undefined || more.length > 0) return undefined
  const slot: Slot = { kind: 'value', key, value: String(value) }
  if (typeof value === 'boolean') return [{ slots: [slot], unless: odd(key, 'boolean') }]
  if (!Number.isSafeInteger(value) || value < 0) return undefined
  return [
    { slots: [slot], unless: odd(key, 'number') },
    { slots: [chosen(key, value)], unless: odd(key, 'list') },
  ]
}

function boundsOf({ column, operator, from, before }: Extract<Test, { kind: 'time' }>): Bounds {
  const [since, until] = {
    '=': [from, before],
    '<': [-Infinity, from],
    '<=': [-Infinity, before],
    '>': [before, Infinity],
    '>=': [from, Infinity],
  }[operator] as [number, number]
  return { column, since, before: until }
}
