import { diffStructures } from './diff.ts'
import type { Structure } from './structure.ts'

/** Parts of a structure other than questions, in the order in which {@link summarizeChange} returns them. */
const PARTS = ['title', 'description', 'languages', 'quotas'] as const

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

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
  const parts: ChangeSummary['parts'] = PARTS.filter((part) => !isSame(before[part], after[part]))
  if (!isSame(pageFrames(before), pageFrames(after))) parts.push('pages')
  if (!isSame(otherMembers(before), otherMembers(after))) parts.push('others')
  if (added + removed + changed + parts.length === 0 && !isSame(before, after)) parts.push('order')
  return { added, removed, changed, parts }
}
