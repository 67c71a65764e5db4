import { plainText } from '../../lib/plain-text.ts'
import { choiceAt } from './choice-at.ts'
import type { Choice, Field, LanguageText } from './questionnaire.ts'
import { positionOf } from './stored.ts'
import { noText, yesText } from './yes-no.ts'

const labelCache = new WeakMap<readonly Choice[], ReadonlyMap<string, number>>()

/**
 * Returns the index of the choice that a value identifies. A value identifies a choice by its index (a number or a
 * numeric string) or by its label in any language, if no other choice has this label. A numeric label identifies a
 * choice only if none of the numeric labels is also an index.
 */
export function choiceIndex(field: Field, value: unknown): number | undefined {
  if (typeof value === 'number') return choiceAt(field, value)?.index
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,9}$/.test(text) && choiceAt(field, Number(text))) return Number(text)
  const index = labelsOf(field.choices).get(text)
  if (index !== undefined) return index
  const plain = plainText(text)
  return plain === text ? undefined : choiceIndex(field, plain)
}

/**
 * Returns the negative index of a removed choice. A value identifies the choice by this index, or by the last label of
 * the choice if no other removed choice has this label.
 */
export function removedIndex(field: Field, value: unknown): number | undefined {
  if (!field.renumbered) return undefined
  const matches = field.removed.filter(({ uid, label }) =>
    typeof value === 'string'
      ? Object.values(label).some((text) => text.trim() !== '' && text.trim() === value.trim())
      : positionOf(field, uid) === value,
  )
  return matches.length === 1 ? positionOf(field, matches[0]!.uid) : undefined
}

/**
 * Returns the index of the choice that has a text as its label in any language, also if the text is a number; undefined
 * if no choice or several choices have it.
 */
export function labelledIndex({ choices }: Field, text: string): number | undefined {
  const owners = choices.filter(({ label }) => hasLabel(label, text.trim()))
  return owners.length === 1 ? owners[0]!.index : undefined
}

const hasLabel = (label: LanguageText, text: string): boolean =>
  text !== '' && Object.values(label).some((one) => one.trim() === text)

function labelsOf(choices: readonly Choice[]): ReadonlyMap<string, number> {
  const cached = labelCache.get(choices)
  if (cached) return cached
  const owners = new Map<string, Set<number>>()
  for (const { index, label } of choices) {
    for (const text of Object.values(label)) {
      const name = text.trim()
      if (name !== '') owners.set(name, (owners.get(name) ?? new Set()).add(index))
    }
  }
  const numericLabels = [...owners.keys()].filter((name) => /^\d+$/.test(name))
  if (numericLabels.some((name) => Number(name) < choices.length)) for (const name of numericLabels) owners.delete(name)
  const single = [...owners]
    .filter(([, indices]) => indices.size === 1)
    .map(([name, [index]]) => [name, index!] as const)
  const labels = new Map(single)
  labelCache.set(choices, labels)
  return labels
}

const BOOLEANS = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  ['1', true],
  ['true', true],
  [false, false],
  [0, false],
  ['0', false],
  ['false', false],
])

/** Words that are read as a boolean unless the author uses them as labels. */
const BOOLEAN_WORDS = new Map<string, boolean>([
  ['on', true],
  ...Object.values(yesText).map((text) => [text.toLowerCase(), true] as const),
  ['off', false],
  ...Object.values(noText).map((text) => [text.toLowerCase(), false] as const),
])

/** Parses the value of a boolean field. The labels of the author take precedence over words such as `on` or `no`. */
export function parseBoolean(field: Field, value: unknown): boolean | undefined {
  const text = typeof value === 'string' ? value.trim() : value
  const parsed = BOOLEANS.get(typeof text === 'string' ? text.toLowerCase() : text)
  if (parsed !== undefined || typeof text !== 'string') return parsed
  const index = labelsOf(field.choices).get(text)
  return index === undefined ? BOOLEAN_WORDS.get(text.toLowerCase()) : index === 0
}

/** Parses the cell of one choice of a multiple-choice question: true if the choice is selected. */
export const parseTick = (value: unknown): boolean | undefined => {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  return BOOLEANS.get(text) ?? (typeof text === 'string' ? (text === 'x' ? true : BOOLEAN_WORDS.get(text)) : undefined)
}
