import type { Field, RemovedChoice } from '../structure/questionnaire.ts'

/** A property that a response has or lacks, and that the rollup counts. Stored as JSON: renaming takes a migration. */
export type Predicate =
  /** The response is in a state: 0 incomplete, 1 complete, 2 terminated. */
  | { kind: 'state'; state: number }
  /** An answer has this value, as text. `complete`: and the response is complete. */
  | { kind: 'value'; key: string; value: string; complete?: true }
  /** Any of the keys has an answer. */
  | { kind: 'answered'; keys: readonly string[] }
  /** A list contains a choice, by its stable number. `complete`: and the response is complete. */
  | { kind: 'chosen'; key: string; index: number; complete?: true }
  /** A choice is at this position of a list, from 0. */
  | { kind: 'placed'; key: string; index: number; place: number }
  /** An answer is not of the type that its question has now, because the question had another type. */
  | { kind: 'typeMismatch'; key: string; expected: 'number' | 'boolean' | 'list' }

/** Returns the number of responses that have a predicate. */
export type Counts = (predicate: Predicate) => number

/** Returns the name of a predicate: equal predicates have equal names. */
export const predicateName = (predicate: Predicate): string => JSON.stringify(predicate)

/** Removes duplicates. */
export const distinctPredicates = (predicates: readonly Predicate[]): Predicate[] => [
  ...new Map(predicates.map((predicate) => [predicateName(predicate), predicate])).values(),
]

/** Returns the response keys that a predicate reads. */
export const answerKeys = (predicate: Predicate): readonly string[] =>
  predicate.kind === 'state' ? [] : predicate.kind === 'answered' ? predicate.keys : [predicate.key]

/** Returns a lookup of counts that are given in the order of their predicates. */
export function createCounts(predicates: readonly Predicate[], counts: readonly number[]): Counts {
  const byName = new Map(predicates.map((predicate, at) => [predicateName(predicate), counts[at] ?? 0]))
  return (predicate) => byName.get(predicateName(predicate)) ?? 0
}

/** Returns the predicate of a single choice. A yes-no question stores its choice 0 as true and 1 as false. */
export const valuePredicate = ({ storedKey: key, type }: Field, uid: number): Predicate => ({
  kind: 'value',
  key,
  value: type === 'boolean' ? String(uid === 0) : String(uid),
})

/** Removed choices that are still counted: the last ones of a question, fewer for each row of a grid. */
const MAX_COUNTED_REMOVED = { question: 100, row: 20 } as const

/** Returns the removed choices of a field that are counted. */
export const countedRemoved = ({ row, removed }: Field): readonly RemovedChoice[] =>
  removed.slice(-MAX_COUNTED_REMOVED[row ? 'row' : 'question'])

/** Returns the stable numbers of all choices of a field that are counted: present ones, then removed ones. */
export const choiceNumbers = (field: Field): number[] =>
  [...field.choices, ...countedRemoved(field)].map(({ uid }) => uid)

/** Positions that are counted beyond the present choices: removed choices were ranked among them. */
const MAX_EXTRA_POSITIONS = 20

/** Returns the number of positions that a choice of a ranking can have. */
export const positionsIn = ({ choices, removed }: Field): number =>
  choices.length + Math.min(removed.length, MAX_EXTRA_POSITIONS)

/** Returns the predicates that a report on a field counts. */
export function predicatesOf(field: Field): Predicate[] {
  const { storedKey: key, type } = field
  const answered: Predicate = { kind: 'answered', keys: [key] }
  const numbers = choiceNumbers(field)
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
            { length: positionsIn(field) },
            (_, place): Predicate => ({ kind: 'placed', key, index: uid, place }),
          ),
        ),
        ...countedRemoved(field).map(({ uid }): Predicate => ({ kind: 'chosen', key, index: uid })),
      ]
    default:
      return [answered]
  }
}
