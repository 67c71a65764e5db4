import type { Field } from '../structure/questionnaire.ts'

/**
 * One thing to count over all responses: how often each value of an answer occurs, or how often something holds.
 * Slots are told apart by what they say; the same slot asked twice is one.
 */
export type Slot =
  /** The state of the response: 0 incomplete, 1 complete, 2 terminated. */
  | { kind: 'completed' }
  /** Each value of a scalar answer, as text. */
  | { kind: 'value'; key: string }
  /** Whether any of the keys has an answer. */
  | { kind: 'answered'; keys: readonly string[] }
  /** Whether a choice is among those of a list. */
  | { kind: 'chosen'; key: string; index: number }
  /** Which choice stands at a place of a list, from 0. */
  | { kind: 'place'; key: string; place: number }

/** How often each value came up; what only holds or not is counted under ''. */
export type Counts = (slot: Slot) => ReadonlyMap<string, number>

/** Two slots that count the same have the same name. */
export const slotName = (slot: Slot): string => JSON.stringify(slot)

/** All that has to be counted to report on one response key. */
export function slotsOf({ key, type, choices }: Field): Slot[] {
  switch (type) {
    case 'single':
    case 'boolean':
    case 'number':
      return [{ kind: 'value', key }]
    case 'multi':
      return [{ kind: 'answered', keys: [key] }, ...choices.map(({ index }): Slot => ({ kind: 'chosen', key, index }))]
    case 'ranking':
      return [{ kind: 'answered', keys: [key] }, ...choices.map((_, place): Slot => ({ kind: 'place', key, place }))]
    default:
      return [{ kind: 'answered', keys: [key] }]
  }
}
