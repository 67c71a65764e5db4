import type { Choice, Field } from './questionnaire.ts'
import { positionOf } from './stored.ts'
import { noText, yesText } from './yes-no.ts'

const labelMaps = new WeakMap<readonly Choice[], ReadonlyMap<string, number>>()

/**
 * The index a value names among the choices of a field: the index itself, as number or numeric string, or a label in
 * any language where it names one choice. Numeric labels only count where none of them could be an index as well.
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
 * The same for a choice that is no longer offered: the number below 0 that stands for it among positions, or its last
 * label where it is that of one choice.
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

/** What a value says on a boolean field. The author's labels come before words such as `on` or `no`. */
export function parseBoolean(field: Field, value: unknown): boolean | undefined {
  const text = typeof value === 'string' ? value.trim() : value
  const plain = words.get(typeof text === 'string' ? text.toLowerCase() : text)
  if (plain !== undefined || typeof text !== 'string') return plain
  const labelled = labelsOf(field.choices).get(text)
  return labelled === undefined ? lateWords.get(text.toLowerCase()) : labelled === 0
}

/** The words that tick (true) or leave (false) one choice of a multiple-choice question that has a column of its own. */
export const tickOf = (value: unknown): boolean | undefined => {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  return words.get(text) ?? (typeof text === 'string' ? (text === 'x' ? true : lateWords.get(text)) : undefined)
}
