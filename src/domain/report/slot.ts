import type { Field } from '../structure/questionnaire.ts'

/** Something that a response does or does not say, of which a report wants to know how many say it. */
export type Slot =
  /** Its state: 0 incomplete, 1 complete, 2 terminated. */
  | { kind: 'state'; state: number }
  /** That an answer is this value, as text; `complete`: and that the response is complete. */
  | { kind: 'value'; key: string; value: string; complete?: true }
  /** That any of the keys has an answer. */
  | { kind: 'answered'; keys: readonly string[] }
  /** That a choice is among those of a list; `complete` as above. */
  | { kind: 'chosen'; key: string; index: number; complete?: true }
  /** That a choice stands at this place of a list, from 0. */
  | { kind: 'placed'; key: string; index: number; place: number }
  /** That an answer is something else than a number, true or false, or a list of numbers: its question had another type. */
  | { kind: 'odd'; key: string; unlike: 'number' | 'boolean' | 'list' }

/** How many responses say it. */
export type Counts = (slot: Slot) => number

/** Two slots that count the same have the same name. */
export const slotName = (slot: Slot): string => JSON.stringify(slot)

/** Each slot once. */
export const distinct = (slots: readonly Slot[]): Slot[] => [
  ...new Map(slots.map((slot) => [slotName(slot), slot])).values(),
]

/** The response keys that a slot looks at. */
export const keysOf = (slot: Slot): readonly string[] =>
  slot.kind === 'state' ? [] : slot.kind === 'answered' ? slot.keys : [slot.key]

/** Looks counts up that stand in the order of their slots. */
export function countsOf(slots: readonly Slot[], counts: readonly number[]): Counts {
  const byName = new Map(slots.map((slot, at) => [slotName(slot), counts[at] ?? 0]))
  return (slot) => byName.get(slotName(slot)) ?? 0
}

/** How a single choice is stored, as text; the first choice of a yes-no question is stored as true, the second as false. */
export const valueSlot = ({ key, type }: Field, index: number): Slot => ({
  kind: 'value',
  key,
  value: type === 'boolean' ? String(index === 0) : String(index),
})

/** All that has to be counted to report on one response key. */
export function slotsOf(field: Field): Slot[] {
  const { key, type, choices } = field
  const answered: Slot = { kind: 'answered', keys: [key] }
  switch (type) {
    case 'single':
    case 'boolean':
    case 'number':
      return choices.map(({ index }) => valueSlot(field, index))
    case 'multi':
      return [answered, ...choices.map(({ index }): Slot => ({ kind: 'chosen', key, index }))]
    case 'ranking':
      return [
        answered,
        ...choices.flatMap(({ index }) => choices.map((_, place): Slot => ({ kind: 'placed', key, index, place }))),
      ]
    default:
      return [answered]
  }
}
