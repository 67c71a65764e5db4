import type { Choice, Field, LanguageText } from './questionnaire.ts'
import { positionOf } from './stored.ts'

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
