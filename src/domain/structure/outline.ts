import { hasSetting, kindOf, type QuestionKind, typeOf } from '../../questions/index.ts'
import type { Question } from './questionnaire.ts'
import { authoredSetting } from './setting.ts'
import { arrayOf, type Json, type PageNode, recordsIn } from './walk.ts'

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
  const shape = typeOf(kind)
  if (!shape?.fieldType) return []
  if (shape.grid) return arrayOf(source.children).map((_, row) => `${id}_${row}`)
  if (!shape.choices) return (shape.parts ?? []).map((part) => `${id}\\${part}`)
  const hasOther = recordsIn(authoredSetting(source, 'choices')).some(({ other }) => other === true)
  return hasOther ? [`${id}\\other`] : []
}

/** What stands between the name of a repeated question and the number of the choice for which it is repeated. */
export const LOOP_MARK = '__'

/** The placeholder that becomes the label of the choice for which a page is repeated. */
export const LOOP = /\{\{\s*loop\s*(?:\|[^{}]*)?\}\}/

const isMultiple = ({ source, kind }: QuestionOutline): boolean =>
  typeOf(kind)?.fieldType === 'multi' || (hasSetting(kind, 'multiple') && authoredSetting(source, 'multiple') === true)

/** Reports whether a question has choices of which respondents can choose several. */
export const acceptsSeveralChoices = (question: QuestionOutline): boolean => {
  const { choices, grid } = typeOf(question.kind) ?? {}
  return Boolean(choices) && !grid && isMultiple(question)
}

/** Returns the keys that forms and exports use for the choices of a question that accepts several choices. */
export function columnKeys(question: QuestionOutline, id: string): string[] {
  const { source, kind } = question
  const keys = (key: string, choices: unknown) => arrayOf(choices).map((_, index) => `${key}\\${index}`)
  const { grid } = typeOf(kind) ?? {}
  if (!isMultiple(question)) return []
  if (!grid) return keys(id, authoredSetting(source, 'choices'))
  return arrayOf(source.children).flatMap((_, row) => keys(`${id}_${row}`, source.choices))
}

/**
 * Maximum number of cells of one page. A question has one cell for each choice; a grid has one cell for each choice in
 * each row. A ranking with dropdowns has one cell for each option of each dropdown.
 */
export const MAX_PAGE_CELLS = 20_000

/** Returns the number of cells of a question. */
export const countCells = (kind: string, choices: number, rows: number): number =>
  typeOf(kind)?.countCells?.(choices, rows) ?? choices

/**
 * Reports whether a page has more cells than the limit. Only surveys stored before the limit was introduced can have
 * such pages.
 */
export const isOversized = (questions: readonly Question[]): boolean =>
  questions.reduce((sum, { kind, choices, rows }) => sum + countCells(kind, choices.length, rows.length), 0) >
  MAX_PAGE_CELLS
