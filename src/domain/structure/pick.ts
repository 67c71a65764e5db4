import type { Choice, Field } from './questionnaire.ts'
import { positionOf } from './stored.ts'
import { noText, yesText } from './yes-no.ts'

const labelMaps = new WeakMap<readonly Choice[], ReadonlyMap<string, number>>()

/**
 * Returns the index of a choice by its index (a number or a numeric string) or by its label in any language, if only one
 * choice has that label. Numeric labels are matched only if none of them is also a valid index.
 */
export function choiceIndex(field: Field, value: unknown): number | undefined {
  const count = field.choices.length
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < count ? value : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,9}$/.test(text) && Number(text) < count) return Number(text)
  return labelsOf(field.choices).get(text)
}

/**
 * Returns the negative index of a choice that is no longer offered, by that index or by its last label, if only one
 * removed choice has that label.
 */
export function removedIndex(field: Field, value: unknown): number | undefined {
  const named = field.removed.filter(({ uid, label }) =>
    typeof value === 'string'
      ? Object.values(label).some((text) => text.trim() !== '' && text.trim() === value.trim())
      : positionOf(field, uid) === value,
  )
  return named.length === 1 ? positionOf(field, named[0]!.uid) : undefined
}

function labelsOf(choices: readonly Choice[]): ReadonlyMap<string, number> {
  const known = labelMaps.get(choices)
  if (known) return known
  const owners = new Map<string, Set<number>>()
  for (const { index, label } of choices) {
    for (const text of Object.values(label)) {
      const name = text.trim()
      if (name !== '') owners.set(name, (owners.get(name) ?? new Set()).add(index))
    }
  }
  const numbers = [...owners.keys()].filter((name) => /^\d+$/.test(name))
  if (numbers.some((name) => Number(name) < choices.length)) for (const name of numbers) owners.delete(name)
  const single = [...owners]
    .filter(([, indices]) => indices.size === 1)
    .map(([name, [index]]) => [name, index!] as const)
  const labels = new Map(single)
  labelMaps.set(choices, labels)
  return labels
}

const words = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  ['1', true],
  ['true', true],
  [false, false],
  [0, false],
  ['0', false],
  ['false', false],
])

const lateWords = new Map<string, boolean>([
  ['on', true],
  ...Object.values(yesText).map((text) => [text.toLowerCase(), true] as const),
  ['off', false],
  ...Object.values(noText).map((text) => [text.toLowerCase(), false] as const),
])

/** Parses the value of a boolean field. The labels of the author take precedence over words such as `on` or `no`. */
export function parseBoolean(field: Field, value: unknown): boolean | undefined {
  const text = typeof value === 'string' ? value.trim() : value
  const plain = words.get(typeof text === 'string' ? text.toLowerCase() : text)
  if (plain !== undefined || typeof text !== 'string') return plain
  const labelled = labelsOf(field.choices).get(text)
  return labelled === undefined ? lateWords.get(text.toLowerCase()) : labelled === 0
}

/** Parses the cell of one choice of a multiple-choice question: true for ticked, false for not ticked. */
export const tickOf = (value: unknown): boolean | undefined => {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  return words.get(text) ?? (typeof text === 'string' ? (text === 'x' ? true : lateWords.get(text)) : undefined)
}
