import { plainText } from '../../lib/strings.ts'
import { choiceAt } from './choice-at.ts'
import type { Choice, Field, LanguageText } from './questionnaire.ts'
import { positionOf } from './stored.ts'
import { noText, yesText } from './yes-no.ts'

/**
 * Returns the index of the choice that a value identifies. A value identifies a choice by its index (a number or a
 * numeric string), or by its code or its label in any language, if no other choice has this code or label. A numeric
 * label identifies a choice only if none of the numeric labels is also an index.
 */
export function choiceIndex(field: Field, value: unknown): number | undefined {
  if (typeof value === 'number') return choiceAt(field, value)?.index
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,9}$/.test(text) && choiceAt(field, Number(text))) return Number(text)
  const index = indexNamed(field.choices, text)
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

/** Names of choices, with the choices that have them. */
interface ChoiceNames {
  labels: ReadonlyMap<string, ReadonlySet<number>>
  codes: ReadonlyMap<string, number>
  /** The labels and codes that only one choice has. */
  unique: ReadonlyMap<string, number>
}

const namesCache = new WeakMap<readonly Choice[], ChoiceNames>()

function namesOf(choices: readonly Choice[]): ChoiceNames {
  const cached = namesCache.get(choices)
  if (cached) return cached
  const labels = new Map<string, Set<number>>()
  for (const { index, label } of choices) {
    for (const text of Object.values(label)) {
      const name = text.trim()
      if (name !== '') labels.set(name, (labels.get(name) ?? new Set()).add(index))
    }
  }
  const codes = new Map(
    choices.flatMap(({ code, index }) => (code === undefined ? [] : [[code.trim(), index] as const])),
  )
  const isNumeric = (name: string) => /^\d+$/.test(name)
  const hasNumericLabels = ![...labels.keys()].some((name) => isNumeric(name) && Number(name) < choices.length)
  const unique = new Map<string, number>()
  for (const name of new Set([...labels.keys(), ...codes.keys()])) {
    const coded = codes.get(name)
    const [first, ...others] = new Set([...(labels.get(name) ?? []), ...(coded === undefined ? [] : [coded])])
    if (others.length === 0 && (coded !== undefined || hasNumericLabels || !isNumeric(name))) unique.set(name, first!)
  }
  const names = { labels, codes, unique }
  namesCache.set(choices, names)
  return names
}

/** Returns the index of the choice that has a text as its label or its code, unless another choice has it as well. */
const indexNamed = (choices: readonly Choice[], text: string): number | undefined => namesOf(choices).unique.get(text)

/** Returns the choice that has a text as its code, and another choice that has it as its label or is at this index. */
export function ambiguousCode(
  { choices, type }: Pick<Field, 'choices' | 'type'>,
  text: string,
): { coded: Choice; other: Choice } | undefined {
  const name = text.trim()
  const { labels, codes } = namesOf(choices)
  const coded = codes.get(name)
  if (coded === undefined) return undefined
  const truth = type === 'boolean' ? BOOLEANS.get(name.toLowerCase()) : undefined
  const atIndex = truth === undefined ? (/^\d{1,9}$/.test(name) ? [Number(name)] : []) : [truth ? 0 : 1]
  const others = [...atIndex, ...(labels.get(name) ?? [])]
  const other = others.map((index) => choiceAt({ choices }, index)).find((one) => one && one.index !== coded)
  return other && { coded: choiceAt({ choices }, coded)!, other }
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
  const index = indexNamed(field.choices, text)
  return index === undefined ? BOOLEAN_WORDS.get(text.toLowerCase()) : index === 0
}

/** Parses the cell of one choice of a multiple-choice question: true if the choice is selected. */
export const parseTick = (value: unknown): boolean | undefined => {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  return BOOLEANS.get(text) ?? (typeof text === 'string' ? (text === 'x' ? true : BOOLEAN_WORDS.get(text)) : undefined)
}
