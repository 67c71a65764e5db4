import { kindOf, partsOf, shapeOf } from './kinds.ts'
import type { QuestionKind } from './questionnaire.ts'
import { settingOf } from './setting.ts'
import { arrayOf, isRecord, type Json, type PageNode } from './walk.ts'

/** An authored question whose members are not checked yet. */
export interface QuestionOutline {
  source: Json
  kind: QuestionKind
  pointer: string
  /** Number of the page, counted from 1. */
  page: number
  /** Position of the question in the survey, counted from 0 across all pages. */
  position: number
  id?: string
  identifier?: string
}

/** Returns the questions of pages in order, without entries that are not objects. */
export function outline(pages: readonly PageNode[]): QuestionOutline[] {
  const questions: QuestionOutline[] = []
  for (const [index, page] of pages.entries()) {
    for (const { value, pointer } of page.questions) {
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

/**
 * Returns the response keys of a question other than its id: the rows of a grid, the parts of an answer, or the text of
 * an “other” choice.
 */
export function additionalKeys({ source, kind }: QuestionOutline, id: string): string[] {
  const shape = shapeOf(kind)
  if (!shape?.fieldType) return []
  if (shape.grid) return arrayOf(source.children).map((_, row) => `${id}_${row}`)
  if (!shape.choices) return partsOf(kind).map((part) => `${id}\\${part}`)
  const hasOther = arrayOf(settingOf(source, 'choices')).some((choice) => isRecord(choice) && choice.other === true)
  return hasOther ? [`${id}\\other`] : []
}

/** Returns the keys that forms and exports use for the choices of a question that accepts several choices. */
export function columnKeys({ source, kind }: QuestionOutline, id: string): string[] {
  const keys = (key: string, choices: unknown) => arrayOf(choices).map((_, index) => `${key}\\${index}`)
  switch (kind) {
    case 'multiple-choice':
      return keys(id, settingOf(source, 'choices'))
    case 'image-choice':
      return settingOf(source, 'multiple') === true ? keys(id, settingOf(source, 'choices')) : []
    case 'multiple-choice-grid':
      return arrayOf(source.children).flatMap((_, row) => keys(`${id}_${row}`, source.choices))
    default:
      return []
  }
}
