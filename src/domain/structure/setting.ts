import { kindOf, typeOf } from '../../questions/index.ts'
import type { Choice } from './questionnaire.ts'
import { arrayOf, isRecord, type Json } from './walk.ts'

/**
 * Returns the option object of a question, the first of its `children`; undefined for a grid, whose children are rows.
 */
export function optionOf(question: Json): Json | undefined {
  if (typeOf(kindOf(question.idname))?.grid) return undefined
  const first = arrayOf(question.children)[0]
  return isRecord(first) ? first : undefined
}

/**
 * Returns a setting of a question from its option object or, in the short form and for grids, from the question itself.
 */
export const settingOf = (question: Json, name: string): unknown => optionOf(question)?.[name] ?? question[name]

/** Returns the choices of a question in the order of the structure; none for a type without choices. */
export const compileChoices = (kind: string, source: Json): Choice[] =>
  typeOf(kind)?.compileChoices?.((name) => settingOf(source, name)) ?? []
