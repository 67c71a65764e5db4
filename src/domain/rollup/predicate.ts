import type { Field, RemovedChoice } from '../structure/questionnaire.ts'

/**
 * A yes-or-no property of responses that the rollup counts. Predicates are stored as JSON, so renaming a member
 * requires a migration.
 */
export type Predicate =
  /** The response is in a state: 0 incomplete, 1 complete, 2 terminated. */
  | { kind: 'state'; state: number }
  /** The answer has this value, as text. With `complete`, the response is also complete. */
  | { kind: 'value'; key: string; value: string; complete?: true }
  /** At least one of the keys has an answer. */
  | { kind: 'answered'; keys: readonly string[] }
  /**
   * The answer is a list that contains the choice with this stable number. With `complete`, the response is also
   * complete.
   */
  | { kind: 'chosen'; key: string; index: number; complete?: true }
  /** The answer is a list in which the choice with the stable number `index` is at the position `place`, from 0. */
  | { kind: 'placed'; key: string; index: number; place: number }
  /** The answer has a type other than that of the present question, because the question was changed. */
  | { kind: 'typeMismatch'; key: string; expected: 'number' | 'boolean' | 'list' }

/** Returns the number of responses that have a predicate. */
export type Counts = (predicate: Predicate) => number

/** Returns the name of a predicate. Equal predicates have equal names. */
export const predicateName = (predicate: Predicate): string => JSON.stringify(predicate)

/** Removes duplicates. */
export const distinctPredicates = (predicates: readonly Predicate[]): Predicate[] => [
  ...new Map(predicates.map((predicate) => [predicateName(predicate), predicate])).values(),
]

/** Returns the response keys that a predicate reads. */
export const answerKeys = (predicate: Predicate): readonly string[] =>
  predicate.kind === 'state' ? [] : predicate.kind === 'answered' ? predicate.keys : [predicate.key]

/**
 * Creates a lookup of counts by predicate.
 * @param counts in the order of the predicates
 */
export function createCounts(predicates: readonly Predicate[], counts: readonly number[]): Counts {
  const byName = new Map(predicates.map((predicate, index) => [predicateName(predicate), counts[index] ?? 0]))
  return (predicate) => byName.get(predicateName(predicate)) ?? 0
}

/**
 * Returns the predicate “this choice is selected” for a single-choice field. A yes-no question stores its choice 0 as
 * true and its choice 1 as false.
 */
export const valuePredicate = ({ storedKey: key, type }: Field, uid: number): Predicate => ({
  kind: 'value',
  key,
  value: type === 'boolean' ? String(uid === 0) : String(uid),
})

/**
 * Maximum number of removed choices that are counted for a question and for a row of a grid. The last choices in the
 * list of removed choices are counted.
 */
const MAX_COUNTED_REMOVED = { question: 100, row: 20 } as const

/** Returns the removed choices of a field that are counted. */
export const countedRemoved = ({ row, removed }: Field): readonly RemovedChoice[] =>
  removed.slice(-MAX_COUNTED_REMOVED[row ? 'row' : 'question'])

/** Returns the stable numbers of all counted choices of a field: first the present choices, then the removed ones. */
export const choiceNumbers = (field: Field): number[] =>
  [...field.choices, ...countedRemoved(field)].map(({ uid }) => uid)

/**
 * Maximum number of positions that are counted in addition to the number of present choices. There can be such
 * positions, because removed choices were ranked too.
 */
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
