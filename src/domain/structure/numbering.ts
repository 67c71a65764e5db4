import { kindOf, typeOf } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { filtersOf } from './choice-attributes.ts'
import { isOutOfOrder, keepScores, scoreOf } from './choices.ts'
import { textOf as languageText } from './language-text.ts'
import { expandLoops } from './loop.ts'
import type { LanguageText } from './questionnaire.ts'
import { optionOf, settingOf } from './setting.ts'
import type { StructureChoice } from './setting-schemas.ts'
import type { Structure, StructureItem, StructureQuestion } from './structure.ts'
import { codeMember, codeOf, uidOf } from './walk.ts'

/** A choice or row that is no longer offered, with its last label and score. */
interface RemovedItem {
  uid: number
  code?: string
  label: LanguageText
  /** Absent for rows, and for choices that earlier versions of Canvass removed. */
  score?: number
}

/** Choices and rows of one question that are no longer offered. The question itself can be removed too. */
export interface RemovedItems {
  question: string
  choices: readonly RemovedItem[]
  rows: readonly RemovedItem[]
}

/** A structure whose choices and rows have stable numbers, and the items that only earlier versions have. */
export interface NumberedStructure {
  structure: Structure
  removed: readonly RemovedItems[]
}

/**
 * Maximum number of removed items that are kept for each list. The items with the highest numbers are kept: a new item
 * gets the number after the highest number, so no number is used again.
 */
const MAX_REMOVED_ITEMS = 1_000
/** Maximum number of removed questions whose items are kept. */
const MAX_REMOVED_QUESTIONS = 1_000

/**
 * The numbered lists of a question: its choices (for a grid, the columns), the two choices of a yes-no question, and
 * the rows of a grid.
 */
type NumberedLists = Readonly<Record<'choices' | 'yesNo' | 'rows', readonly StructureItem[]>>

/**
 * Assigns a stable number (`uid`) to every choice, grid row and grid column. Answers are stored under this number. An
 * authored number is kept. An item without an authored number gets the number of the earlier item with the same label
 * in the default language. If the structure has no numbers at all, an item can also get the number of the earlier item
 * at the same position, unless another item matches that earlier item by label. All other items get the next unused
 * number.
 * @param before the structure that this one replaces; absent: a new survey
 */
export function numberStructure(structure: Structure, before?: NumberedStructure): NumberedStructure {
  const previousQuestions = new Map(questionsOf(before?.structure).map((question) => [question.id, question]))
  const removedByQuestion = new Map(before?.removed.map((items) => [items.question, items]))
  const matching: Matching = {
    code: defaultCode(structure),
    previousCode: before ? defaultCode(before.structure) : '',
    byPosition: !questionsOf(structure).some((question) => Object.values(listsOf(question)).flat().some(isNumbered)),
  }
  const form = structure.form.map((page) => ({
    ...page,
    children: page.children.map((question) =>
      numberQuestion(
        question,
        earlierLists(previousQuestions.get(question.id), removedByQuestion.get(question.id)),
        matching,
      ),
    ),
  }))
  const numbered = { ...structure, form }
  const removed = allRemovedItems(numbered, previousQuestions, removedByQuestion)
  return { structure: withFilterCodes(numbered, removed), removed }
}

const questionsOf = (structure: Structure | undefined): StructureQuestion[] =>
  structure?.form.flatMap(({ children }) => children) ?? []

const defaultCode = ({ languages }: Structure): string => languages.find(({ isDefault }) => isDefault)?.code ?? 'en'

const NO_LISTS: NumberedLists = { choices: [], yesNo: [], rows: [] }

function listsOf(question: StructureQuestion): NumberedLists {
  const kind = kindOf(question.idname)
  const shape = typeOf(kind)
  const choices = settingOf(question, 'choices') ?? []
  return {
    choices: shape?.choices ? choices : [],
    yesNo: shape?.yesNo ? choices : [],
    rows: shape?.grid ? question.children : [],
  }
}

/** The items of one list in earlier versions. */
interface EarlierItems {
  /** Items of the replaced structure, in order. */
  current: readonly RemovedItem[]
  removed: readonly RemovedItem[]
}

type EarlierLists = Record<keyof NumberedLists, EarlierItems>

function earlierLists(question: StructureQuestion | undefined, removed: RemovedItems | undefined): EarlierLists {
  const { choices, yesNo, rows } = question ? listsOf(question) : NO_LISTS
  const items = (list: readonly StructureItem[]): RemovedItem[] =>
    list.map((item, index) => ({ uid: uidOf(item, index), ...codeMember(item), label: languageText(item.label) }))
  const scored = (list: readonly StructureItem[]): RemovedItem[] =>
    items(list).map((item, index) => ({ ...item, score: scoreOf(list[index]!, index + 1) }))
  return {
    choices: { current: scored(choices), removed: removed?.choices ?? [] },
    yesNo: { current: scored(yesNo), removed: [] },
    rows: { current: items(rows), removed: removed?.rows ?? [] },
  }
}

/** Options for matching items that have no number. */
interface Matching {
  /** The default languages of this structure and the previous one. */
  code: string
  previousCode: string
  /** Whether items can be matched by position, because the structure has no numbers. */
  byPosition: boolean
}

const isNumbered = ({ uid }: StructureItem): boolean => Number.isInteger(uid)

function numberQuestion(question: StructureQuestion, earlier: EarlierLists, matching: Matching): StructureQuestion {
  const { choices, yesNo, rows } = listsOf(question)
  const numbered = { ...question }
  if (rows.length > 0) numbered.children = numberList(rows, earlier.rows, matching)
  if (yesNo.length === 2)
    return withChoices(numbered, keepScores(numberYesNo(yesNo, earlier.yesNo, matching), earlier.yesNo.current))
  if (choices.length === 0) return numbered
  // If the question was a yes-no question in the previous version, its numbers meant yes and no. The choices therefore
  // get new numbers.
  const ownChoices = earlier.yesNo.current.length > 0 ? choices.map(({ uid: _, ...choice }) => choice) : choices
  const numberedChoices = numberList(ownChoices, earlier.choices, matching)
  const hasScores = !typeOf(kindOf(question.idname))?.unscored
  return withChoices(
    numbered,
    hasScores ? keepScores(numberedChoices, earlierChoices(earlier.choices)) : numberedChoices,
  )
}

const earlierChoices = ({ current, removed }: EarlierItems): RemovedItem[] => [...removed, ...current]

/** Returns the JSON pointers of the lists of choices whose default scores do not follow their order. */
export function listsOutOfOrder(authored: Structure, { structure }: NumberedStructure): string[] {
  return authored.form.flatMap(({ children }, page) =>
    children.flatMap((question, index) => {
      const saved = structure.form[page]?.children[index]
      if (!saved || typeOf(kindOf(question.idname))?.unscored) return []
      const [before, after] = [listsOf(question), listsOf(saved)]
      const isListed = isOutOfOrder(before.choices, after.choices) || isOutOfOrder(before.yesNo, after.yesNo)
      return isListed ? [`/form/${page}/children/${index}`] : []
    }),
  )
}

/** Replaces the choices of a question on the object that has them: the option object or the question itself. */
function withChoices(question: StructureQuestion, choices: StructureChoice[]): StructureQuestion {
  const [option, ...more] = question.children
  const isOnOption = !typeOf(kindOf(question.idname))?.grid && (option?.choices ?? undefined) !== undefined
  return isOnOption ? { ...question, children: [{ ...option, choices }, ...more] } : { ...question, choices }
}

function numberList(items: readonly StructureItem[], earlier: EarlierItems, matching: Matching): StructureItem[] {
  const numbers = matchNumbers(items, earlier, matching)
  const used = [...numbers, ...earlier.current.map(({ uid }) => uid), ...earlier.removed.map(({ uid }) => uid)]
  let next = used.reduce<number>((highest, uid) => Math.max(highest, uid ?? -1), -1) + 1
  return items.map((item, index) => ({ ...item, uid: numbers[index] ?? next++ }))
}

/**
 * Numbers the choices of a yes-no question. The only numbers are 0 and 1, because yes is stored as true and no as
 * false, whatever the labels are.
 */
function numberYesNo(items: readonly StructureItem[], earlier: EarlierItems, matching: Matching): StructureItem[] {
  const valid = items.map(({ uid, ...item }) => (uid === 0 || uid === 1 ? { ...item, uid } : item))
  const [first, second] = matchNumbers(valid, earlier, matching)
  const yes = first ?? (second === undefined ? 0 : 1 - second)
  return valid.map((item, index) => ({ ...item, uid: index === 0 ? yes : 1 - yes }))
}

/** Returns the number of each item that has an authored number or matches an earlier item. */
function matchNumbers(
  items: readonly StructureItem[],
  { current, removed }: EarlierItems,
  matching: Matching,
): (number | undefined)[] {
  const numbers = items.map(({ uid }) => (Number.isInteger(uid) ? Number(uid) : undefined))
  const { code, previousCode, byPosition } = matching
  const usedNumbers = new Set(numbers)
  const byLabel = Map.groupBy([...current, ...removed], ({ label }) => textOf(label, previousCode))
  const assign = (index: number, uid: number | undefined) => {
    if (uid === undefined || usedNumbers.has(uid)) return
    usedNumbers.add(uid)
    numbers[index] = uid
  }
  for (const [index, item] of items.entries()) {
    if (numbers[index] !== undefined) continue
    const text = textOf(languageText(item.label), code)
    if (text !== '') assign(index, byLabel.get(text)?.find(({ uid }) => !usedNumbers.has(uid))?.uid)
  }
  if (byPosition) for (const index of items.keys()) if (numbers[index] === undefined) assign(index, current[index]?.uid)
  return numbers
}

const textOf = (label: LanguageText, code: string): string =>
  (Object.hasOwn(label, code) ? label[code]! : (Object.values(label)[0] ?? '')).trim()

/** Returns the items of earlier versions that this version does not have. */
function allRemovedItems(
  structure: Structure,
  previousQuestions: ReadonlyMap<string, StructureQuestion>,
  removedByQuestion: ReadonlyMap<string, RemovedItems>,
): RemovedItems[] {
  const listsById = new Map(questionsOf(structure).map((question) => [question.id, listsOf(question)]))
  const earlierIds = new Set([...removedByQuestion.keys(), ...previousQuestions.keys()])
  const removed = [...earlierIds]
    .map((question): RemovedItems => {
      const earlier = earlierLists(previousQuestions.get(question), removedByQuestion.get(question))
      const { choices, rows } = listsById.get(question) ?? NO_LISTS
      return {
        question,
        choices: removedItems(earlier.choices, choices),
        rows: removedItems(earlier.rows, rows),
      }
    })
    .filter(({ choices, rows }) => choices.length + rows.length > 0)
  const ofRemovedQuestions = removed.filter(({ question }) => !listsById.has(question)).slice(-MAX_REMOVED_QUESTIONS)
  return [...removed.filter(({ question }) => listsById.has(question)), ...ofRemovedQuestions]
}

function removedItems({ current, removed }: EarlierItems, items: readonly StructureItem[]): RemovedItem[] {
  const uids = new Set(items.map(uidOf))
  const byUid = new Map([...removed, ...current].filter(({ uid }) => !uids.has(uid)).map((item) => [item.uid, item]))
  return [...byUid.values()].sort((a, b) => a.uid - b.uid).slice(-MAX_REMOVED_ITEMS)
}

/** Returns an error for each question whose id is already used as the stored key of a grid row. */
export function findKeyConflicts(structure: Structure): FieldError[] {
  const questions = structure.form.flatMap(({ children }, page) =>
    children.map((question, index) => ({ question, pointer: `/form/${page}/children/${index}` })),
  )
  const gridByRowKey = new Map(
    questions.flatMap(({ question }) =>
      listsOf(question).rows.map((row, index) => [`${question.id}_${uidOf(row, index)}`, question.id]),
    ),
  )
  return questions
    .filter(({ question }) => gridByRowKey.has(question.id))
    .map(({ question: { id }, pointer }) =>
      fieldError(
        `${pointer}/id`,
        'duplicate',
        { value: id },
        detail('duplicate_row_key', { grid: gridByRowKey.get(id)! }),
      ),
    )
}

/** Returns the ids, identifiers and response keys of the questions that filter choices. */
const filteringNames = ({ form }: Structure): Set<string> =>
  new Set(
    form.flatMap(({ children }) => children.flatMap((source) => filtersOf(source).map(({ question }) => question))),
  )

/**
 * Writes the code of each choice that attributes can name and that has none: its position from 1, or the next unused
 * number if that is the code of another choice. A code stays when the choice moves, so the attributes of other choices
 * keep their meaning.
 * @param removed choices of earlier versions, whose codes are not used again
 */
function withFilterCodes(structure: Structure, removed: readonly RemovedItems[]): Structure {
  const names = filteringNames(structure)
  if (names.size === 0) return structure
  const removedChoices = new Map(removed.map(({ question, choices }) => [question, choices]))
  const isFiltering = ({ id, identifier, idname, children }: StructureQuestion): boolean =>
    names.has(id) ||
    (identifier !== undefined && names.has(identifier)) ||
    (typeOf(kindOf(idname))?.grid === true && children.some((_, row) => names.has(`${id}_${row}`)))
  const form = structure.form.map((page) => ({
    ...page,
    children: page.children.map((question) =>
      isFiltering(question) ? withCodes(question, removedChoices.get(question.id) ?? []) : question,
    ),
  }))
  return { ...structure, form }
}

function withCodes(question: StructureQuestion, removed: readonly { code?: string }[]): StructureQuestion {
  const choices = settingOf(question, 'choices') ?? []
  if (choices.length === 0 || choices.every((choice) => codeOf(choice) !== undefined)) return question
  const used = new Set([...choices, ...removed].flatMap(({ code }) => codeOf({ code })?.trim() ?? []))
  let next = choices.length
  const coded = choices.map((choice, index) => {
    if (codeOf(choice) !== undefined) return choice
    let code = String(index + 1)
    while (used.has(code)) code = String(++next)
    used.add(code)
    return { ...choice, code }
  })
  const [option, ...more] = question.children
  return optionOf(question)?.choices !== undefined
    ? { ...question, children: [{ ...option, choices: coded }, ...more] }
    : { ...question, choices: coded }
}

/**
 * The number of each question that has answers, by question ID. The number names the columns of files for statistics
 * programs (`q1`), so it never changes: neither when questions move nor when others are removed. The numbers of removed
 * questions are kept, because a question with the same ID would continue their answers.
 */
export type QuestionNumbers = Readonly<Record<string, number>>

/** Maximum number of questions whose numbers are kept. Those with the highest numbers are kept, so none is used again. */
const MAX_NUMBERED_QUESTIONS = 10_000

/**
 * Numbers the questions of a structure from 1 in their order. A question that has a number keeps it; any other gets the
 * next unused number.
 * @param before the numbers of earlier versions; absent: the first version
 */
export function numberQuestions(structure: Structure, before: QuestionNumbers = {}): QuestionNumbers {
  const numbers = new Map(Object.entries(before))
  let next = Math.max(0, ...numbers.values()) + 1
  for (const { children } of expandLoops(structure).form)
    for (const { id, idname } of children)
      if (typeOf(kindOf(idname))?.fieldType && !numbers.has(id)) numbers.set(id, next++)
  const kept = [...numbers].sort(([, a], [, b]) => a - b).slice(-MAX_NUMBERED_QUESTIONS)
  return Object.fromEntries(kept)
}
