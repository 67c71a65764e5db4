import { type FieldError, fieldError } from '../field-error.ts'
import { kindOf, shapeOf } from './kinds.ts'
import type { LanguageText } from './questionnaire.ts'
import { settingOf } from './setting.ts'
import type { Structure, StructureQuestion } from './structure.ts'
import { uidOf } from './uid.ts'
import { arrayOf, isRecord, type Json } from './walk.ts'

/** A choice or row that is no longer offered, with its last label. */
export interface RemovedItem {
  uid: number
  label: LanguageText
}

/** Choices and rows of one question that are no longer offered. The question itself may be removed. */
export interface RemovedItems {
  question: string
  choices: readonly RemovedItem[]
  rows: readonly RemovedItem[]
}

/** A structure with stable numbers for its choices and rows, and the items that only earlier versions have. */
export interface Numbered {
  structure: Structure
  removed: readonly RemovedItems[]
}

/** Maximum number of removed labels kept for one list. The highest numbers are kept, so that no number is reused. */
const MAX_REMOVED_ITEMS = 1_000
/** Maximum number of removed questions with kept numbers. */
const MAX_REMOVED_QUESTIONS = 1_000

/** The numbered lists of a question: its choices (columns of a grid), the two of a yes-no question, the rows of a grid. */
type Lists = { choices: readonly Json[]; truths: readonly Json[]; rows: readonly Json[] }

/**
 * Assigns a stable number, the member `uid`, to every choice, grid row and grid column. Answers are stored by this
 * number. An authored number is kept. An item without one gets the number of the earlier item with the same label in the
 * default language. If the structure has no numbers at all, it can also get the number of the item at the same position,
 * unless another item matches that one. Other items get the next number that no version has used.
 * @param before the structure that this one replaces; absent: a new survey
 */
export function numberStructure(structure: Structure, before?: Numbered): Numbered {
  const then = new Map(questionsOf(before?.structure).map((question) => [question.id, question]))
  const gone = new Map(before?.removed.map((items) => [items.question, items]))
  const matching: Matching = {
    code: defaultCode(structure),
    codeThen: before ? defaultCode(before.structure) : '',
    byPosition: !questionsOf(structure).some((question) => Object.values(listsOf(question)).flat().some(isNumbered)),
  }
  const form = structure.form.map((page) => ({
    ...page,
    children: page.children.map((question) =>
      numberQuestion(question, knownOf(then.get(question.id), gone.get(question.id)), matching),
    ),
  }))
  const numbered = { ...structure, form }
  return { structure: numbered, removed: removedFrom(numbered, then, gone) }
}

const questionsOf = (structure: Structure | undefined): StructureQuestion[] =>
  structure?.form.flatMap(({ children }) => children) ?? []

const defaultCode = ({ languages }: Structure): string => languages.find(({ isDefault }) => isDefault)?.code ?? 'en'

const NOTHING: Lists = { choices: [], truths: [], rows: [] }

function listsOf(question: StructureQuestion): Lists {
  const kind = kindOf(question.idname)
  const shape = shapeOf(kind)
  const choices = arrayOf(settingOf(question, 'choices')).filter(isRecord)
  return {
    choices: shape?.choices ? choices : [],
    truths: kind === 'boolean-choice' ? choices : [],
    rows: shape?.grid ? question.children : [],
  }
}

/** The numbers of a question in earlier versions. */
interface Known {
  /** Items of the replaced structure, in order. */
  now: readonly RemovedItem[]
  removed: readonly RemovedItem[]
}

type KnownLists = Record<keyof Lists, Known>

function knownOf(question: StructureQuestion | undefined, gone: RemovedItems | undefined): KnownLists {
  const { choices, truths, rows } = question ? listsOf(question) : NOTHING
  const items = (list: readonly Json[]) =>
    list.map((item, index) => ({ uid: uidOf(item, index), label: labelOf(item) }))
  return {
    choices: { now: items(choices), removed: gone?.choices ?? [] },
    truths: { now: items(truths), removed: [] },
    rows: { now: items(rows), removed: gone?.rows ?? [] },
  }
}

const labelOf = ({ label }: Json): LanguageText => (isRecord(label) ? (label as LanguageText) : {})

/** Options for matching items without a number. */
interface Matching {
  /** The default languages of this structure and the previous one. */
  code: string
  codeThen: string
  /** The structure has no numbers, so its items can be matched by position. */
  byPosition: boolean
}

const isNumbered = ({ uid }: Json): boolean => Number.isInteger(uid)

function numberQuestion(question: StructureQuestion, known: KnownLists, matching: Matching): StructureQuestion {
  const { choices, truths, rows } = listsOf(question)
  const numbered = { ...question }
  if (rows.length > 0) numbered.children = numberList(rows, known.rows, matching)
  if (truths.length === 2) return withChoices(numbered, numberTruths(truths, known.truths, matching))
  if (choices.length === 0) return numbered
  // The numbers of a yes-no question are not numbers of choices: the type of the question changed.
  const own = known.truths.now.length > 0 ? choices.map(({ uid: _, ...choice }) => choice) : choices
  return withChoices(numbered, numberList(own, known.choices, matching))
}

/** Replaces the choices on the option object, or on the question if it had them there. */
function withChoices(question: StructureQuestion, choices: Json[]): StructureQuestion {
  const [option, ...more] = question.children
  const isOnOption = !shapeOf(kindOf(question.idname))?.grid && (option?.choices ?? undefined) !== undefined
  return isOnOption ? { ...question, children: [{ ...option, choices }, ...more] } : { ...question, choices }
}

function numberList(given: readonly Json[], known: Known, matching: Matching): Json[] {
  const numbers = matched(given, known, matching)
  const used = [...numbers, ...known.now.map(({ uid }) => uid), ...known.removed.map(({ uid }) => uid)]
  let next = used.reduce<number>((highest, uid) => Math.max(highest, uid ?? -1), -1) + 1
  return given.map((item, index) => ({ ...item, uid: numbers[index] ?? next++ }))
}

/**
 * Numbers the choices of a yes-no question: only 0 and 1 exist, because yes is stored as true and no as false under any
 * label.
 */
function numberTruths(given: readonly Json[], known: Known, matching: Matching): Json[] {
  const valid = given.map(({ uid, ...item }) => (uid === 0 || uid === 1 ? { ...item, uid } : item))
  const [first, second] = matched(valid, known, matching)
  const yes = first ?? (second === undefined ? 0 : 1 - second)
  return valid.map((item, index) => ({ ...item, uid: index === 0 ? yes : 1 - yes }))
}

/** Returns the number of each item that has an authored number or matches an earlier item. */
function matched(given: readonly Json[], { now, removed }: Known, matching: Matching): (number | undefined)[] {
  const numbers = given.map(({ uid }) => (Number.isInteger(uid) ? Number(uid) : undefined))
  const { code, codeThen, byPosition } = matching
  const taken = new Set(numbers)
  const byLabel = Map.groupBy([...now, ...removed], ({ label }) => textOf(label, codeThen))
  const take = (index: number, uid: number | undefined) => {
    if (uid === undefined || taken.has(uid)) return
    taken.add(uid)
    numbers[index] = uid
  }
  for (const [index, item] of given.entries()) {
    if (numbers[index] !== undefined) continue
    const text = textOf(labelOf(item), code)
    if (text !== '') take(index, byLabel.get(text)?.find(({ uid }) => !taken.has(uid))?.uid)
  }
  if (byPosition) for (const index of given.keys()) if (numbers[index] === undefined) take(index, now[index]?.uid)
  return numbers
}

const textOf = (label: LanguageText, code: string): string =>
  (Object.hasOwn(label, code) ? label[code]! : (Object.values(label)[0] ?? '')).trim()

/** Returns the items of earlier versions that this version does not have. */
function removedFrom(
  structure: Structure,
  then: ReadonlyMap<string, StructureQuestion>,
  gone: ReadonlyMap<string, RemovedItems>,
): RemovedItems[] {
  const now = new Map(questionsOf(structure).map((question) => [question.id, listsOf(question)]))
  const all = [...new Set([...gone.keys(), ...then.keys()])].map((question): RemovedItems => {
    const known = knownOf(then.get(question), gone.get(question))
    const lists = now.get(question) ?? NOTHING
    return {
      question,
      choices: without(known.choices, lists.choices),
      rows: without(known.rows, lists.rows),
    }
  })
  const some = all.filter(({ choices, rows }) => choices.length + rows.length > 0)
  const absent = some.filter(({ question }) => !now.has(question)).slice(-MAX_REMOVED_QUESTIONS)
  return [...some.filter(({ question }) => now.has(question)), ...absent]
}

function without({ now, removed }: Known, offered: readonly Json[]): RemovedItem[] {
  const stays = new Set(offered.map(uidOf))
  const items = new Map([...removed, ...now].filter(({ uid }) => !stays.has(uid)).map((item) => [item.uid, item]))
  return [...items.values()].sort((a, b) => a.uid - b.uid).slice(-MAX_REMOVED_ITEMS)
}

/** Returns an error for each question whose id is also the stored key of a grid row. */
export function keyClashes(structure: Structure): FieldError[] {
  const pages = structure.form.entries()
  const places = [...pages].flatMap(([page, { children }]) => children.map((question, at) => ({ question, page, at })))
  const rows = new Map(
    places.flatMap(({ question }) =>
      listsOf(question).rows.map((row, at) => [`${question.id}_${uidOf(row, at)}`, question.id]),
    ),
  )
  return places
    .filter(({ question }) => rows.has(question.id))
    .map(({ question: { id }, page, at }) =>
      fieldError(
        `/form/${page}/children/${at}/id`,
        'duplicate',
        { value: id },
        `is the key of a row of the grid ${rows.get(id)}; choose another id`,
      ),
    )
}
