import type { Field, RemovedChoice } from '../structure/questionnaire.ts'

/** Something that a response does or does not say, of which a report wants to know how many say it. */
export type Predicate =
  /** Its state: 0 incomplete, 1 complete, 2 terminated. */
  | { kind: 'state'; state: number }
  /** That an answer is this value, as text; `complete`: and that the response is complete. */
  | { kind: 'value'; key: string; value: string; complete?: true }
  /** That any of the keys has an answer. */
  | { kind: 'answered'; keys: readonly string[] }
  /** That a choice, by its stable number, is among those of a list; `complete` as above. */
  | { kind: 'chosen'; key: string; index: number; complete?: true }
  /** That a choice stands at this place of a list, from 0. */
  | { kind: 'placed'; key: string; index: number; place: number }
  /** That an answer is something else than a number, true or false, or a list of numbers: its question had another type. */
  | { kind: 'odd'; key: string; unlike: 'number' | 'boolean' | 'list' }

/** How many responses say it. */
export type Counts = (predicate: Predicate) => number

/** Two slots that count the same have the same name. */
export const predicateName = (predicate: Predicate): string => JSON.stringify(predicate)

/** Each slot once. */
export const distinct = (predicates: readonly Predicate[]): Predicate[] => [
  ...new Map(predicates.map((predicate) => [predicateName(predicate), predicate])).values(),
]

/** The response keys that a slot looks at. */
export const keysOf = (predicate: Predicate): readonly string[] =>
  predicate.kind === 'state' ? [] : predicate.kind === 'answered' ? predicate.keys : [predicate.key]

/** Looks counts up that stand in the order of their slots. */
export function countsOf(predicates: readonly Predicate[], counts: readonly number[]): Counts {
  const byName = new Map(predicates.map((predicate, at) => [predicateName(predicate), counts[at] ?? 0]))
  return (predicate) => byName.get(predicateName(predicate)) ?? 0
}

/** How a single choice is stored, as text; of a yes-no question number 0 is stored as true, 1 as false. */
export const valuePredicate = ({ storedKey: key, type }: Field, uid: number): Predicate => ({
  kind: 'value',
  key,
  value: type === 'boolean' ? String(uid === 0) : String(uid),
})

/** Choices that are no longer offered and still counted: the last ones of a question, fewer for each row of a grid. */
const MAX_COUNTED_REMOVED = { question: 100, row: 20 } as const

/** Choices of a field that are no longer offered and counted. */
export const countedRemoved = ({ row, removed }: Field): readonly RemovedChoice[] =>
  removed.slice(-MAX_COUNTED_REMOVED[row ? 'row' : 'question'])

/** The stable numbers of all choices of a field that are counted: those that are offered, then those that were. */
export const numbersOf = (field: Field): number[] => [...field.choices, ...countedRemoved(field)].map(({ uid }) => uid)

/** How many places a choice of a ranking may have stood at: beside it stood some that are no longer offered. */
export const placesIn = ({ choices, removed }: Field): number =>
  choices.length + Math.min(removed.length, MAX_LOST_PLACES)
const MAX_LOST_PLACES = 20

/** All that has to be counted to report on one response key. */
export function predicatesOf(field: Field): Predicate[] {
  const { storedKey: key, type } = field
  const answered: Predicate = { kind: 'answered', keys: [key] }
  const numbers = numbersOf(field)
  switch (type) {
    case 'single':
    case 'boolean':
    case 'number':
      return (type === 'boolean' ? field.choices.map(({ uid }) => uid) : numbers).map((uid) =>
        valuePredicate(field, uid),
      )
    case 'multi':
      return [answered, ...numbers.map((uid): Predicate => ({ kind: 'chosen', key, index: uid }))]
    case 'ranking':
      return [
        answered,
        ...field.choices.flatMap(({ uid }) =>
          Array.from(
            { length: placesIn(field) },
            (_, place): Predicate => ({ kind: 'placed', key, index: uid, place }),
          ),
        ),
        ...countedRemoved(field).map(({ uid }): Predicate => ({ kind: 'chosen', key, index: uid })),
      ]
    default:
      return [answered]
  }
}
