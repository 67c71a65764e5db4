import type { Answer, Answers, Choice, Field, Questionnaire } from './questionnaire.ts'

/**
 * Conversion of stored answers. Stored answers identify choices and grid rows by their stable numbers; all other answers
 * by their positions in the current structure. A choice that is no longer offered has no position: a negative number
 * identifies it.
 */

/** Converts the stable number of a removed choice to its negative index, and back. */
const outsider = (number: number): number => -1 - number

/** Reports whether an index refers to a choice that is no longer offered. */
export const isRemoved = (index: unknown): index is number => typeof index === 'number' && index < 0

const maps = new WeakMap<readonly Choice[], ReadonlyMap<number, number>>()

/** Returns the positions of choices by their stable numbers. */
function positionsOf(choices: readonly Choice[]): ReadonlyMap<number, number> {
  const known = maps.get(choices)
  if (known) return known
  const positions = new Map(choices.map(({ uid, index }) => [uid, index]))
  maps.set(choices, positions)
  return positions
}

/** Returns the position of the choice with a stable number; a negative index if it is no longer offered. */
export const positionOf = ({ choices }: Field, uid: number): number => positionsOf(choices).get(uid) ?? outsider(uid)

/** Returns the stable number of the choice at an index, positive or negative: the inverse of {@link positionOf}. */
export const numberOf = ({ choices }: Field, index: number): number => choices[index]?.uid ?? outsider(index)

/** Reports whether the first choice of a yes-no question is stored as true. */
const isStraight = ({ type, choices }: Field): boolean => type !== 'boolean' || choices[0]?.uid !== 1

/** Converts a stored value to an answer of this structure. */
export function fromStoredValue(field: Field, value: Answer): Answer {
  if (!field.moved) return value
  if (typeof value === 'boolean') return isStraight(field) === value
  if (typeof value === 'number') return positionOf(field, value)
  if (typeof value === 'string') return value
  const positions = value.map((uid) => positionOf(field, uid))
  return field.type === 'ranking' ? positions : positions.sort((a, b) => placeOf(a) - placeOf(b))
}

/** Sorts removed choices last. */
const placeOf = (index: number): number => (index < 0 ? Number.MAX_SAFE_INTEGER + index : index)

/** Converts an answer to its stored value. */
export function toStoredValue(field: Field, value: Answer): Answer {
  if (!field.moved) return value
  if (typeof value === 'boolean') return isStraight(field) === value
  if (typeof value === 'number') return numberOf(field, value)
  if (typeof value === 'string') return value
  const numbers = value.map((index) => numberOf(field, index))
  return field.type === 'ranking' ? numbers : numbers.sort((a, b) => a - b)
}

/** Prefix for the key of a removed row when another row has its position now. Text in the database never contains it. */
const ASIDE = '\0'

/**
 * Converts stored answers to answers of this structure.
 * @returns the same object if no choice or row was ever moved
 */
export function fromStored(q: Questionnaire, stored: Answers): Answers {
  if (!q.moved) return stored
  const answers: Record<string, Answer> = Object.create(null)
  for (const [key, value] of Object.entries(stored)) {
    const field = q.byStoredKey.get(key)
    if (field) answers[field.key] = fromStoredValue(field, value)
    else answers[q.byKey.has(key) ? ASIDE + key : key] = value
  }
  return answers
}

/** Converts answers to stored answers: the inverse of {@link fromStored}. */
export function toStored(q: Questionnaire, answers: Answers): Answers {
  if (!q.moved) return answers
  const stored: Record<string, Answer> = {}
  for (const [key, value] of Object.entries(answers)) {
    const field = q.byKey.get(key)
    if (field) stored[field.storedKey] = toStoredValue(field, value)
    else stored[key.startsWith(ASIDE) ? key.slice(ASIDE.length) : key] = value
  }
  return stored
}

/** Returns an answer without its removed choices, for views without labels; undefined if nothing remains. */
export function offered(value: Answer): Answer | undefined {
  if (typeof value === 'number') return isRemoved(value) ? undefined : value
  if (typeof value !== 'object' || !value.some(isRemoved)) return value
  const left = value.filter((index) => !isRemoved(index))
  return left.length > 0 ? left : undefined
}

/**
 * Converts the values of a survey form (respondent/page-submission.ts) to answers by position. The form identifies rows
 * and choices by stable numbers, so that a page opened before an edit keeps the choices that the respondent saw.
 */
export function fromForm(q: Questionnaire, raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!q.moved) return raw
  const read: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(raw)) {
    const field = q.byStoredKey.get(key)
    if (field) read[field.key] = field.moved && field.choices.length > 0 ? fromFormValue(field, value) : value
    else if (!q.byKey.has(key)) read[key] = value
  }
  return read
}

function fromFormValue(field: Field, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => fromFormValue(field, one))
  if (field.type === 'boolean' && (value === 'true' || value === 'false'))
    return isStraight(field) === (value === 'true')
  return typeof value === 'number' || (typeof value === 'string' && /^\s*\d{1,10}\s*$/.test(value))
    ? positionOf(field, Number(value))
    : value
}
