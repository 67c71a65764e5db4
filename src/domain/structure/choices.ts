import { plainText } from '../../lib/strings.ts'
import { noText, yesText } from './language-text.ts'
import type { Choice, Field, LanguageText } from './questionnaire.ts'
import { choiceAt, positionOf } from './stored.ts'
import type { Json } from './walk.ts'

/** A choice as files with codes name it. */
export interface CodedChoice {
  /** The index of the choice; negative for a removed choice (stored.ts). */
  index: number
  uid: number
  /** The code of the author or, without one, the position from 1. */
  code: string
  label: LanguageText
  removed: boolean
}

/** The members of a field that give its choices their codes. */
type Coded = Pick<Field, 'choices' | 'removed' | 'type'>

const cache = new WeakMap<Coded, readonly CodedChoice[]>()

/**
 * Returns the choices of a field with different codes, the removed ones last. A choice has the code that its author gave
 * it, otherwise its position from 1, or the next free number if that is the code of another choice. The code of a
 * removed choice is its negative index, unless its own code is free. The code of a number, such as a rating, is the
 * number. A yes-no question whose choices have no codes has the codes 1 and 0.
 */
export function codedChoices(field: Coded): readonly CodedChoice[] {
  const cached = cache.get(field)
  if (cached) return cached
  const { choices, removed, type } = field
  const isNumber = type === 'number'
  const taken = new Set(choices.flatMap(({ code }) => code ?? []))
  const isPlainYesNo = type === 'boolean' && taken.size === 0
  let free = choices.length
  const own = ({ index, code }: Choice): string => {
    if (code !== undefined) return code
    if (isNumber) return String(index)
    if (isPlainYesNo) return String(1 - index)
    let number = index + 1
    while (taken.has(String(number))) number = ++free
    taken.add(String(number))
    return String(number)
  }
  const coded = choices.map((choice) => ({ ...pick(choice), index: choice.index, code: own(choice), removed: false }))
  const gone = removed.map((choice) => {
    const index = isNumber ? choice.uid : positionOf(field, choice.uid)
    const isFree = choice.code !== undefined && !taken.has(choice.code)
    if (isFree) taken.add(choice.code!)
    return { ...pick(choice), index, code: isFree ? choice.code! : String(index), removed: true }
  })
  const all = [...coded, ...gone]
  cache.set(field, all)
  return all
}

const pick = ({ uid, label }: Pick<Choice, 'uid' | 'label'>) => ({ uid, label })

/** A number as statistics programs write it: no superfluous zeros or signs, and at most 15 digits. */
const NUMBER = /^(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,7})\.\d{0,6}[1-9])$/

/** Reports whether all codes of the choices of a field are numbers. */
export const hasNumericCodes = (field: Field): boolean => codedChoices(field).every(({ code }) => NUMBER.test(code))

/** Returns the code of the choice at an index; for a yes-no question, 0 is yes and 1 is no. */
export const codeAt = (field: Field, index: number): string =>
  codedChoices(field).find((choice) => choice.index === index)?.code ?? String(index)

const indexCache = new WeakMap<Field, ReadonlyMap<string, number>>()

/** Returns the index of the choice with a code: the inverse of {@link codedChoices}. */
export function indexOfCode(field: Field, code: string): number | undefined {
  const indices =
    indexCache.get(field) ?? new Map(codedChoices(field).map(({ code: own, index }) => [own.trim(), index]))
  indexCache.set(field, indices)
  return indices.get(code.trim())
}

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

/** Returns the score that the author set (a string in old surveys), or the fallback. */
export function scoreOf({ score }: Json, fallback: number): number {
  if (typeof score === 'string' && score.trim() !== '' && Number.isFinite(Number(score))) return Number(score)
  return typeof score === 'number' ? score : fallback
}

/** Whether the author set the score of a choice. */
const isScored = (choice: Json): boolean => !Number.isNaN(scoreOf(choice, Number.NaN))

/** A choice of the structure that is replaced, or of an earlier one, with its score there. */
interface EarlierScore {
  uid: number
  score?: number
}

/**
 * Writes the score of each choice that would get another one by its position. A choice without a score keeps the score
 * that it had in the structure that is replaced, so moving a choice does not change the scores of its answers. A new
 * choice gets the next unused number; the choices of a new list have their positions from 1.
 * @param choices the choices with their stable numbers
 */
export function keepScores<Item extends Json>(choices: readonly Item[], earlier: readonly EarlierScore[]): Item[] {
  if (earlier.length === 0) return [...choices]
  const earlierScores = new Map(earlier.map(({ uid, score }) => [uid, score]))
  const kept = choices.map((choice) => (isScored(choice) ? scoreOf(choice, 0) : earlierScores.get(Number(choice.uid))))
  const used = new Set([...kept, ...earlierScores.values()])
  return choices.map((choice, index) => {
    const score = kept[index] ?? nextUnused(Number(choice.uid) + 1, used)
    used.add(score)
    return isScored(choice) || score === index + 1 ? choice : { ...choice, score }
  })
}

/** The stable number of a new choice is the next unused one, and first scores are stable numbers from 1. */
function nextUnused(from: number, used: ReadonlySet<number | undefined>): number {
  let score = from
  while (used.has(score)) score++
  return score
}

/** Reports whether choices without an authored score have scores that do not follow their order. */
export const isOutOfOrder = (authored: readonly Json[], saved: readonly Json[]): boolean =>
  authored.some((choice) => !isScored(choice)) &&
  saved.some((choice, index) => index > 0 && scoreOf(choice, index + 1) <= scoreOf(saved[index - 1]!, index))
