import type { Answer, Answers, Choice, Field, Questionnaire } from './questionnaire.ts'

/**
 * Functions that convert between stored answers and answers with positions. Stored answers contain the stable numbers
 * of choices and grid rows. Answers with positions contain the positions of choices and grid rows in the current
 * structure. A removed choice has no position, so its index is negative.
 */

/** Converts the stable number of a removed choice to its negative index, and back. */
const negativeIndex = (number: number): number => -1 - number

/** Reports whether an index refers to a removed choice. */
export const isRemoved = (index: unknown): index is number => typeof index === 'number' && index < 0

const positionCache = new WeakMap<readonly Choice[], ReadonlyMap<number, number>>()

/** Returns the positions of choices by their stable numbers. */
function positionsOf(choices: readonly Choice[]): ReadonlyMap<number, number> {
  const cached = positionCache.get(choices)
  if (cached) return cached
  const positions = new Map(choices.map(({ uid, index }) => [uid, index]))
  positionCache.set(choices, positions)
  return positions
}

/** Returns the index of the choice with a stable number. The index of a removed choice is negative. */
export const positionOf = ({ choices }: Pick<Field, 'choices'>, uid: number): number =>
  positionsOf(choices).get(uid) ?? negativeIndex(uid)

/** Returns the stable number of the choice at an index: the inverse of {@link positionOf}. */
export const uidAt = (field: Field, index: number): number => choiceAt(field, index)?.uid ?? negativeIndex(index)

/** Reports whether the first choice of a yes-no question is stored as true. */
const isFirstTrue = ({ type, choices }: Field): boolean => type !== 'boolean' || choices[0]?.uid !== 1

/** Converts a stored value to an answer with positions. */
export function fromStoredValue(field: Field, value: Answer): Answer {
  if (!field.renumbered) return value
  if (typeof value === 'boolean') return isFirstTrue(field) === value
  if (typeof value === 'number') return positionOf(field, value)
  if (typeof value === 'string') return value
  const positions = value.map((uid) => positionOf(field, uid))
  return field.type === 'ranking' ? positions : positions.sort((a, b) => sortKey(a) - sortKey(b))
}

/** Returns a sort key that puts removed choices last. */
const sortKey = (index: number): number => (index < 0 ? Number.MAX_SAFE_INTEGER + index : index)

/** Converts an answer with positions to its stored value. */
export function toStoredValue(field: Field, value: Answer): Answer {
  if (!field.renumbered) return value
  if (typeof value === 'boolean') return isFirstTrue(field) === value
  if (typeof value === 'number') return uidAt(field, value)
  if (typeof value === 'string') return value
  const numbers = value.map((index) => uidAt(field, index))
  return field.type === 'ranking' ? numbers : numbers.sort((a, b) => a - b)
}

/**
 * Prefix of the key of a removed row whose key is now the key of another row. Stored keys cannot contain this
 * character.
 */
const REMOVED_ROW_PREFIX = '\0'

/**
 * Converts stored answers to answers with positions.
 * @returns the same object if no choice or row was ever moved or removed
 */
export function fromStored(q: Questionnaire, stored: Answers): Answers {
  if (!q.renumbered) return stored
  const answers: Record<string, Answer> = Object.create(null)
  for (const [key, value] of Object.entries(stored)) {
    const field = q.byStoredKey.get(key)
    if (field) answers[field.key] = fromStoredValue(field, value)
    else answers[q.byKey.has(key) ? REMOVED_ROW_PREFIX + key : key] = value
  }
  return answers
}

/** Converts answers with positions to stored answers: the inverse of {@link fromStored}. */
export function toStored(q: Questionnaire, answers: Answers): Answers {
  if (!q.renumbered) return answers
  const stored: Record<string, Answer> = {}
  for (const [key, value] of Object.entries(answers)) {
    const field = q.byKey.get(key)
    if (field) stored[field.storedKey] = toStoredValue(field, value)
    else stored[key.startsWith(REMOVED_ROW_PREFIX) ? key.slice(REMOVED_ROW_PREFIX.length) : key] = value
  }
  return stored
}

/**
 * Returns an answer without removed choices, for output that contains indices and no labels; undefined if no choice
 * remains.
 */
export function withoutRemovedChoices(value: Answer): Answer | undefined {
  if (typeof value === 'number') return isRemoved(value) ? undefined : value
  if (typeof value !== 'object' || !value.some(isRemoved)) return value
  const remaining = value.filter((index) => !isRemoved(index))
  return remaining.length > 0 ? remaining : undefined
}

/**
 * Converts the values of a survey form (respondent/page-submission.ts) to answers with positions. The form contains
 * stable numbers: if a page was opened before an edit of the survey, it submits the choices that it showed.
 */
export function fromForm(q: Questionnaire, raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!q.renumbered) return raw
  const answers: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(raw)) {
    const field = q.byStoredKey.get(key)
    if (field) answers[field.key] = field.renumbered && field.choices.length > 0 ? fromFormValue(field, value) : value
    else if (!q.byKey.has(key)) answers[key] = value
  }
  return answers
}

function fromFormValue(field: Field, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => fromFormValue(field, item))
  if (field.type === 'boolean' && (value === 'true' || value === 'false'))
    return isFirstTrue(field) === (value === 'true')
  return typeof value === 'number' || (typeof value === 'string' && /^\s*\d{1,10}\s*$/.test(value))
    ? positionOf(field, Number(value))
    : value
}

/** Returns the choice with an index; undefined for a removed choice and for any other number. */
export const choiceAt = ({ choices }: Pick<Field, 'choices'>, index: number): Choice | undefined =>
  choices[index - (choices[0]?.index ?? 0)]
