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

/** What is no longer offered of one question; the question itself may be gone. */
export interface RemovedItems {
  question: string
  choices: readonly RemovedItem[]
  rows: readonly RemovedItem[]
}

/** A structure whose choices and rows have their stable numbers, and those of its earlier versions that it lacks. */
export interface Numbered {
  structure: Structure
  removed: readonly RemovedItems[]
}

/** Labels kept of one list; the highest numbers stay, so that none is given twice. */
const MAX_REMOVED_ITEMS = 1_000
/** Questions that are gone whose numbers are kept. */
const MAX_REMOVED_QUESTIONS = 1_000

/** What is numbered of a question: its choices (columns of a grid), the two of a yes-no question, the rows of a grid. */
type Lists = { choices: readonly Json[]; truths: readonly Json[]; rows: readonly Json[] }

/**
 * Gives every choice, grid row and grid column its stable number, the member `uid`, under which answers are stored.
 * A number that is given is kept. Without one a choice is the earlier choice of the same label in the default language,
 * else (where nothing in the structure has a number) the one that stood at its position if nothing else is that one;
 * what is new gets the next number that no version used.
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

/** What earlier versions numbered of a question. */
interface Known {
  /** Those of the structure that is replaced, in its order. */
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

/** How choices without a number are told apart. */
interface Matching {
  /** The default languages of this structure and the one before. */
  code: string
  codeThen: string
  /** Nothing in the structure has a number: its author knows of none. */
  byPosition: boolean
}

const isNumbered = ({ uid }: Json): boolean => Number.isInteger(uid)

function numberQuestion(question: StructureQuestion, known: KnownLists, matching: Matching): StructureQuestion {
  const { choices, truths, rows } = listsOf(question)
  const numbered = { ...question }
  if (rows.length > 0) numbered.children = numberList(rows, known.rows, matching)
  if (truths.length === 2) return withChoices(numbered, numberTruths(truths, known.truths, matching))
  if (choices.length === 0) return numbered
  // The numbers of a yes-no question say nothing about choices: it has become another question.
  const own = known.truths.now.length > 0 ? choices.map(({ uid: _, ...choice }) => choice) : choices
  return withChoices(numbered, numberList(own, known.choices, matching))
}

/** Puts choices where they stood: on the option object, else on the question. */
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

/** Yes is stored as true and no as false whatever they are called: there are only the numbers 0 and 1. */
function numberTruths(given: readonly Json[], known: Known, matching: Matching): Json[] {
  const valid = given.map(({ uid, ...item }) => (uid === 0 || uid === 1 ? { ...item, uid } : item))
  const [first, second] = matched(valid, known, matching)
  const yes = first ?? (second === undefined ? 0 : 1 - second)
  return valid.map((item, index) => ({ ...item, uid: index === 0 ? yes : 1 - yes }))
}

/** The number of each item that is one of the earlier ones, or has one given. */
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

/** What earlier versions offered and this one does not. */
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

/** Questions whose id is what a row of a grid is stored under. */
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
