import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'

/** A question, or a row of a grid, to which a rule or a placeholder refers. */
export interface NamedQuestion {
  question: StructureQuestion
  /** Position of the row, from 0. */
  row?: number
}

const indexes = new WeakMap<Structure, ReadonlyMap<unknown, NamedQuestion>>()

/** Returns the question with an ID or an identifier, or the row of a grid with a response key. */
export function questionNamed(name: unknown, structure: Structure): NamedQuestion | undefined {
  const index = indexes.get(structure) ?? indexOf(structure)
  indexes.set(structure, index)
  return index.get(name)
}

function indexOf({ form }: Structure): ReadonlyMap<unknown, NamedQuestion> {
  const questions = form.flatMap(({ children }) => children)
  const index = new Map<unknown, NamedQuestion>()
  const add = (name: unknown, named: NamedQuestion) => index.has(name) || index.set(name, named)
  for (const question of questions) add(question.id, { question })
  for (const question of questions) if (question.identifier) add(question.identifier, { question })
  for (const question of questions) {
    if (!question.idname.endsWith('-grid')) continue
    for (const row of question.children.keys()) add(`${question.id}_${row}`, { question, row })
  }
  return index
}
