import { kindOf, shapeOf } from './kinds.ts'
import { optionOf } from './setting.ts'
import type { Structure, StructureQuestion } from './structure.ts'
import { uidOf } from './uid.ts'
import { arrayOf, isRecord, type Json } from './walk.ts'

/** A changed member with both values. */
export interface MemberChange {
  member: string
  /** Null when the member was absent. */
  from: unknown
  to: unknown
}

export interface QuestionSummary {
  id: string
  idname: string
  title: unknown
  page: number
}

export interface ChoiceSummary {
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

interface Seen {
  summary: QuestionSummary
  members: Json
  choices: readonly Json[]
}

/**
 * Returns the differences between two normalised structures. Questions are matched by id and choices by their stable
 * numbers, as in stored answers. A change of page, row, setting or order of choices is a change of its question. The
 * choices of an added or removed question are not listed separately.
 */
export function diffStructures(a: Structure, b: Structure): StructureDiff {
  const [before, after] = [questionsOf(a), questionsOf(b)]
  const diff: StructureDiff = {
    questions: { added: [], removed: [], changed: [] },
    choices: { added: [], removed: [], changed: [] },
  }
  for (const [id, { summary }] of before) if (!after.has(id)) diff.questions.removed.push(summary)
  for (const [id, now] of after) {
    const then = before.get(id)
    if (!then) {
      diff.questions.added.push(now.summary)
      continue
    }
    const changes = [...changesOf(then.members, now.members), ...orderChange(then.choices, now.choices)]
    if (changes.length > 0) diff.questions.changed.push({ id, changes })
    diffChoices(id, then.choices, now.choices, diff.choices)
  }
  return diff
}

function diffChoices(question: string, then: readonly Json[], now: readonly Json[], into: StructureDiff['choices']) {
  const before = byNumber(then)
  const after = byNumber(now)
  for (const [uid, { index, item: choice }] of after) {
    const old = before.get(uid)?.item
    if (!old) {
      into.added.push({ question, index, label: choice.label })
      continue
    }
    const changes = changesOf(old, choice)
    if (changes.length > 0) into.changed.push({ question, index, changes })
  }
  for (const [uid, { index, item: choice }] of before) {
    if (!after.has(uid)) into.removed.push({ question, index, label: choice.label })
  }
}

/** Returns choices or rows, with their positions, by their stable numbers. */
const byNumber = (items: readonly Json[]): Map<number, { index: number; item: Json }> =>
  new Map(items.map(({ uid, ...item }, index) => [uidOf({ uid }, index), { index, item }]))

/** Returns the change of order of the choices in both versions, as stable numbers. */
function orderChange(then: readonly Json[], now: readonly Json[]): MemberChange[] {
  const [before, after] = [byNumber(then), byNumber(now)]
  const from = [...before.keys()].filter((uid) => after.has(uid))
  const to = [...after.keys()].filter((uid) => before.has(uid))
  return isSame(from, to) ? [] : [{ member: 'choices', from, to }]
}

function questionsOf(structure: Structure): Map<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const [index, { children }] of structure.form.entries()) {
    for (const question of children) seen.set(question.id, look(question, index + 1))
  }
  return seen
}

/** Returns the members of a question and of its option object side by side, so that the name of a change has no nesting. */
function look(question: StructureQuestion, page: number): Seen {
  const { children, choices, ...own } = question
  const { type: _, choices: offered, ...option } = optionOf(question) ?? {}
  const rows = shapeOf(kindOf(question.idname))?.grid
    ? { rows: children.map((row, at) => ({ ...row, uid: uidOf(row, at) })) }
    : {}
  return {
    summary: { id: question.id, idname: question.idname, title: question.title ?? {}, page },
    members: { ...own, ...option, page, ...rows },
    choices: arrayOf(offered ?? choices).filter(isRecord),
  }
}

function changesOf(from: Json, to: Json): MemberChange[] {
  const members = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...members]
    .filter((member) => !isSame(from[member], to[member]))
    .map((member) => ({ member, from: from[member] ?? null, to: to[member] ?? null }))
}

/** Compares values as JSON. The order of members is ignored, because the database does not preserve it. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]))
  if (!isRecord(a) || !isRecord(b)) return (a ?? null) === (b ?? null)
  const members = Object.keys(a)
  return (
    members.length === Object.keys(b).length &&
    members.every((member) => Object.hasOwn(b, member) && isSame(a[member], b[member]))
  )
}
