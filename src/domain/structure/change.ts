import { diffStructures } from './diff.ts'
import type { Structure } from './structure.ts'

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Parts of a structure other than questions, in the order in which `describeChange` names them. */
const PARTS = ['title', 'description', 'languages', 'quotas'] as const

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Returns the pages without their questions: number, order, titles, conditions and skips. */
const pageFrames = ({ form }: Structure) => form.map(({ children: _, ...page }) => page)

/** Returns the members of a structure other than its questions and {@link PARTS}. */
function otherMembers(structure: Structure): unknown {
  const { form: _, ...others } = structure
  return Object.fromEntries(Object.entries(others).filter(([member]) => !PARTS.some((part) => part === member)))
}

/** Describes the changes between two normalised structures in one line, such as "2 questions added, title changed". */
export function describeChange(before: Structure, after: Structure): string {
  const { questions, choices } = diffStructures(before, after)
  const changedIds = new Set(questions.changed.map(({ id }) => id))
  for (const { question } of [...choices.added, ...choices.removed, ...choices.changed]) changedIds.add(question)
  const parts = [
    questions.added.length > 0 && `${formatCount(questions.added.length, 'question')} added`,
    questions.removed.length > 0 && `${formatCount(questions.removed.length, 'question')} removed`,
    changedIds.size > 0 && `${formatCount(changedIds.size, 'question')} changed`,
    ...PARTS.map((part) => !isSame(before[part], after[part]) && `${part} changed`),
    !isSame(pageFrames(before), pageFrames(after)) && 'pages changed',
    !isSame(otherMembers(before), otherMembers(after)) && 'other members changed',
  ].filter((part) => part !== false)
  if (parts.length > 0) return parts.join(', ')
  return isSame(before, after) ? 'nothing changed' : 'order changed'
}
