import { kindOf, shapeOf } from './kinds.ts'
import { arrayOf, isRecord, type Json } from './walk.ts'

/** The option object of a question: the first of its `children`. Those of a grid are rows, so it has none. */
export function optionOf(question: Json): Json | undefined {
  if (shapeOf(kindOf(question.idname))?.grid) return undefined
  const first = arrayOf(question.children)[0]
  return isRecord(first) ? first : undefined
}

/** A setting of a question: on its option object or, in the short form and for grids, on the question itself. */
export const settingOf = (question: Json, name: string): unknown => optionOf(question)?.[name] ?? question[name]
