import { kindOf, shapeOf } from './kinds.ts'
import type { QuestionKind } from './questionnaire.ts'
import { settingOf } from './setting.ts'
import { arrayOf, isRecord, type Json, type PagePlace } from './walk.ts'

/** An authored question, before it is checked. */
export interface Outlined {
  source: Json
  kind: QuestionKind
  pointer: string
  /** From 1. */
  page: number
  /** From 0, across all pages. */
  position: number
  id?: string
  identifier?: string
}

/** Returns the questions of the pages in order, without entries that are not objects. */
export function outline(pages: readonly PagePlace[]): Outlined[] {
  const questions: Outlined[] = []
  for (const [index, { questions: places }] of pages.entries()) {
    for (const { value, pointer } of places) {
      if (!isRecord(value)) continue
      questions.push({
        source: value,
        kind: kindOf(value.idname),
        pointer,
        page: index + 1,
        position: questions.length,
        ...(typeof value.id === 'string' ? { id: value.id } : {}),
        ...(typeof value.identifier === 'string' ? { identifier: value.identifier } : {}),
      })
    }
  }
  return questions
}

/** Returns the response keys of a question besides its id. A grid has no others. */
export function furtherKeys({ source, kind }: Outlined, id: string): string[] {
  const shape = shapeOf(kind)
  if (!shape?.fieldType) return []
  if (shape.grid) return arrayOf(source.children).map((_, row) => `${id}_${row}`)
  if (!shape.choices) return []
  const other = arrayOf(settingOf(source, 'choices')).some((choice) => isRecord(choice) && choice.other === true)
  return other ? [`${id}\\other`] : []
}

/** Returns the keys of single choices in forms and exports. */
export const columnKeys = ({ source, kind }: Outlined, id: string): string[] =>
  kind === 'multiple-choice' ? arrayOf(settingOf(source, 'choices')).map((_, index) => `${id}\\${index}`) : []
