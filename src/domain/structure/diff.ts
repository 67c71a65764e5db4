import { kindOf, typeOf } from '../../questions/index.ts'
import { scoreOf } from './choices.ts'
import { optionOf } from './setting.ts'
import type { Structure, StructureQuestion } from './structure.ts'
import { arrayOf, isRecord, type Json, uidOf } from './walk.ts'

/** A changed member with both values. */
interface MemberChange {
  member: string
  /** Null if the member was absent. */
  from: unknown
  to: unknown
}

interface QuestionSummary {
  id: string
  idname: string
  title: unknown
  page: number
}

interface ChoiceSummary {
  question: string
  index: number
  label: unknown
}

/** The differences between two structures. */
export interface StructureDiff {
  questions: {
    added: QuestionSummary[]
    removed: QuestionSummary[]
    changed: { id: string; changes: MemberChange[] }[]
  }
  choices: {
    added: ChoiceSummary[]
    removed: ChoiceSummary[]
    changed: { question: string; index: number; changes: MemberChange[] }[]
  }
}

interface IndexedQuestion {
  summary: QuestionSummary
  members: Json
  choices: readonly Json[]
}

/**
 * Returns the differences between two normalised structures. Questions are matched by id, and choices by the stable
 * numbers that stored answers contain. If the page, rows, settings or order of choices of a question change, this is a
 * change of the question. The choices of an added or removed question are not listed.
 */
export function diffStructures(a: Structure, b: Structure): StructureDiff {
  const [before, after] = [questionsOf(a), questionsOf(b)]
  const diff: StructureDiff = {
    questions: { added: [], removed: [], changed: [] },
    choices: { added: [], removed: [], changed: [] },
  }
  for (const [id, { summary }] of before) if (!after.has(id)) diff.questions.removed.push(summary)
  for (const [id, current] of after) {
    const old = before.get(id)
    if (!old) {
      diff.questions.added.push(current.summary)
      continue
    }
    const changes = [...changesOf(old.members, current.members), ...orderChange(old.choices, current.choices)]
    if (changes.length > 0) diff.questions.changed.push({ id, changes })
    diffChoices(id, old.choices, current.choices, diff.choices)
  }
  return diff
}

function diffChoices(question: string, old: readonly Json[], current: readonly Json[], into: StructureDiff['choices']) {
  const before = byNumber(old)
  const after = byNumber(current)
  for (const [uid, { index, item: choice }] of after) {
    const old = before.get(uid)
    if (!old) {
      into.added.push({ question, index, label: choice.label })
      continue
    }
    // A choice without a score has its position as score.
    const isSameScore = scoreOf(old.item, old.index + 1) === scoreOf(choice, index + 1)
    const changes = changesOf(old.item, choice).filter(({ member }) => member !== 'score' || !isSameScore)
    if (changes.length > 0) into.changed.push({ question, index, changes })
  }
  for (const [uid, { index, item: choice }] of before) {
    if (!after.has(uid)) into.removed.push({ question, index, label: choice.label })
  }
}

/** Returns choices or rows, with their positions, by their stable numbers. */
const byNumber = (items: readonly Json[]): Map<number, { index: number; item: Json }> =>
  new Map(items.map(({ uid, ...item }, index) => [uidOf({ uid }, index), { index, item }]))

/**
 * Returns the change in the order of those choices that both versions have. Choices are identified by stable numbers.
 */
function orderChange(old: readonly Json[], current: readonly Json[]): MemberChange[] {
  const [before, after] = [byNumber(old), byNumber(current)]
  const from = [...before.keys()].filter((uid) => after.has(uid))
  const to = [...after.keys()].filter((uid) => before.has(uid))
  return isSame(from, to) ? [] : [{ member: 'choices', from, to }]
}

function questionsOf(structure: Structure): Map<string, IndexedQuestion> {
  const questions = new Map<string, IndexedQuestion>()
  for (const [index, { children }] of structure.form.entries()) {
    for (const question of children) questions.set(question.id, indexQuestion(question, index + 1))
  }
  return questions
}

/**
 * Merges the members of a question with those of its option object, which contains its settings. A changed setting is
 * therefore reported by its own name, such as `max`, and not as a change of `children`.
 */
function indexQuestion(question: StructureQuestion, page: number): IndexedQuestion {
  const { children, choices, ...members } = question
  const { type: _, choices: optionChoices, ...option } = optionOf(question) ?? {}
  const rows = typeOf(kindOf(question.idname))?.grid
    ? { rows: children.map((row, index) => ({ ...row, uid: uidOf(row, index) })) }
    : {}
  return {
    summary: { id: question.id, idname: question.idname, title: question.title ?? {}, page },
    members: { ...members, ...option, page, ...rows },
    choices: arrayOf(optionChoices ?? choices).filter(isRecord),
  }
}

function changesOf(from: Json, to: Json): MemberChange[] {
  const members = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...members]
    .filter((member) => !isSame(from[member], to[member]))
    .map((member) => ({ member, from: from[member] ?? null, to: to[member] ?? null }))
}

/**
 * Reports whether two JSON values are equal. The order of members does not matter, because the database does not
 * preserve it.
 */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  if (!isRecord(a) || !isRecord(b)) return (a ?? null) === (b ?? null)
  const members = Object.keys(a)
  return (
    members.length === Object.keys(b).length &&
    members.every((member) => Object.hasOwn(b, member) && isSame(a[member], b[member]))
  )
}

/** Parts of a structure other than questions, in the order in which {@link summarizeChange} returns them. */
const PARTS = ['title', 'description', 'languages', 'quotas'] as const

const isEqualJson = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Returns the pages without their questions: number, order, titles, conditions and skips. */
const pageFrames = ({ form }: Structure) => form.map(({ children: _, ...page }) => page)

/** Returns the members of a structure other than its questions and {@link PARTS}. */
function otherMembers(structure: Structure): unknown {
  const { form: _, ...others } = structure
  return Object.fromEntries(Object.entries(others).filter(([member]) => !PARTS.some((part) => part === member)))
}

/** A summary of the changes between two structures. */
export interface ChangeSummary {
  /** Numbers of questions. */
  added: number
  removed: number
  changed: number
  /** The other parts that changed. `order`, the order of questions or members, only if nothing else changed. */
  parts: ((typeof PARTS)[number] | 'pages' | 'others' | 'order')[]
}

/** Summarizes the changes between two normalised structures. */
export function summarizeChange(before: Structure, after: Structure): ChangeSummary {
  const { questions, choices } = diffStructures(before, after)
  const changedIds = new Set(questions.changed.map(({ id }) => id))
  for (const { question } of [...choices.added, ...choices.removed, ...choices.changed]) changedIds.add(question)
  const [added, removed, changed] = [questions.added.length, questions.removed.length, changedIds.size]
  const parts: ChangeSummary['parts'] = PARTS.filter((part) => !isEqualJson(before[part], after[part]))
  if (!isEqualJson(pageFrames(before), pageFrames(after))) parts.push('pages')
  if (!isEqualJson(otherMembers(before), otherMembers(after))) parts.push('others')
  if (added + removed + changed + parts.length === 0 && !isEqualJson(before, after)) parts.push('order')
  return { added, removed, changed, parts }
}
