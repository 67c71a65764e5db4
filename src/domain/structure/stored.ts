import type { Answer, Answers, Choice, Field, Questionnaire } from './questionnaire.ts'

/**
 * Answers as they are stored name choices and grid rows by their stable numbers; everywhere else an answer names them by
 * their positions in the structure that it is read with. A choice that is no longer offered has no position: it is told
 * by a number below 0.
 */

/** How a choice that is not offered is named among positions, and the other way round. */
const outsider = (number: number): number => -1 - number

/** Whether a choice of an answer is one that is no longer offered. */
export const isRemoved = (index: unknown): index is number => typeof index === 'number' && index < 0

const maps = new WeakMap<readonly Choice[], ReadonlyMap<number, number>>()

/** The position of each choice by its stable number. */
function positionsOf(choices: readonly Choice[]): ReadonlyMap<number, number> {
  const known = maps.get(choices)
  if (known) return known
  const positions = new Map(choices.map(({ uid, index }) => [uid, index]))
  maps.set(choices, positions)
  return positions
}

/** The position of the choice of a stable number; below 0 where it is no longer offered. */
export const positionOf = ({ choices }: Field, uid: number): number => positionsOf(choices).get(uid) ?? outsider(uid)

/** The stable number of the choice at a position; for positions below 0 as {@link positionOf} gives them. */
export const numberOf = ({ choices }: Field, index: number): number => choices[index]?.uid ?? outsider(index)

/** Whether the first of the two choices of a yes-no question is stored as true. */
const isStraight = ({ type, choices }: Field): boolean => type !== 'boolean' || choices[0]?.uid !== 1

/** One stored value as the answer that it is in this structure. */
export function fromStoredValue(field: Field, value: Answer): Answer {
  if (!field.moved) return value
  if (typeof value === 'boolean') return isStraight(field) === value
  if (typeof value === 'number') return positionOf(field, value)
  if (typeof value === 'string') return value
  const positions = value.map((uid) => positionOf(field, uid))
  return field.type === 'ranking' ? positions : positions.sort((a, b) => placeOf(a) - placeOf(b))
}

/** What is no longer offered comes last. */
const placeOf = (index: number): number => (index < 0 ? Number.MAX_SAFE_INTEGER + index : index)

/** One answer as it is stored. */
export function toStoredValue(field: Field, value: Answer): Answer {
  if (!field.moved) return value
  if (typeof value === 'boolean') return isStraight(field) === value
  if (typeof value === 'number') return numberOf(field, value)
  if (typeof value === 'string') return value
  const numbers = value.map((index) => numberOf(field, index))
  return field.type === 'ranking' ? numbers : numbers.sort((a, b) => a - b)
}

/** Marks the key of a row that is gone, where another row stands at its number now. No text in the database has it. */
const ASIDE = '\0'

/** Stored answers as they read in this structure; the same object where nothing was ever moved. */
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

/** Answers as they are stored: {@link fromStored} the other way round. */
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

/** An answer without the choices that are no longer offered, as it is shown without labels; undefined: nothing is left. */
export function offered(value: Answer): Answer | undefined {
  if (typeof value === 'number') return isRemoved(value) ? undefined : value
  if (typeof value !== 'object' || !value.some(isRemoved)) return value
  const left = value.filter((index) => !isRemoved(index))
  return left.length > 0 ? left : undefined
}

/**
 * What a form sent (respondent/decide.ts): it names rows and choices by their stable numbers, so that a page that was opened
 * before its survey was edited means what the respondent saw. Here it names them by their positions now.
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
