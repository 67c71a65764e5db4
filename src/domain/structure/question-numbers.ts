import { kindOf, shapeOf } from './kinds.ts'
import type { Structure } from './structure.ts'

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
export function numberQuestions({ form }: Structure, before: QuestionNumbers = {}): QuestionNumbers {
  const numbers = new Map(Object.entries(before))
  let next = Math.max(0, ...numbers.values()) + 1
  for (const { children } of form)
    for (const { id, idname } of children)
      if (shapeOf(kindOf(idname))?.fieldType && !numbers.has(id)) numbers.set(id, next++)
  const kept = [...numbers].sort(([, a], [, b]) => a - b).slice(-MAX_NUMBERED_QUESTIONS)
  return Object.fromEntries(kept)
}
