import { hasSetting, kindOf, typeOf } from '../../questions/index.ts'
import { type MetaType, metaFields, STATE_LABELS } from './meta-fields.ts'
import type { Field, Question, QuestionKind, Questionnaire } from './questionnaire.ts'
import { settingOf } from './setting.ts'
import { textIn } from './text.ts'
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
  const shape = typeOf(kind)
  if (!shape?.fieldType) return []
  if (shape.grid) return arrayOf(source.children).map((_, row) => `${id}_${row}`)
  if (!shape.choices) return (shape.parts ?? []).map((part) => `${id}\\${part}`)
  const hasOther = arrayOf(settingOf(source, 'choices')).some((choice) => isRecord(choice) && choice.other === true)
  return hasOther ? [`${id}\\other`] : []
}

/** Returns the keys that forms and exports use for the choices of a question that accepts several choices. */
export function columnKeys({ source, kind }: QuestionOutline, id: string): string[] {
  const keys = (key: string, choices: unknown) => arrayOf(choices).map((_, index) => `${key}\\${index}`)
  const { fieldType, grid } = typeOf(kind) ?? {}
  const isMultiple = fieldType === 'multi' || (hasSetting(kind, 'multiple') && settingOf(source, 'multiple') === true)
  if (!isMultiple) return []
  if (!grid) return keys(id, settingOf(source, 'choices'))
  return arrayOf(source.children).flatMap((_, row) => keys(`${id}_${row}`, source.choices))
}

interface Variable {
  type: string
  label: string
  choices?: string[]
}

const VARIABLE_TYPES: Readonly<Record<MetaType, string>> = {
  state: 'single',
  integer: 'number',
  float: 'number',
  time: 'datetime',
  text: 'string',
  collector: 'string',
  key: 'string',
}

/** Types of variables that differ from the type of the field. */
const VARIABLE_TYPE_OF: { readonly [Type in Field['type']]?: string } = { other: 'string', decimal: 'number' }

/**
 * Returns the variables of a response by key: the exported meta fields, then every response key with its title and the
 * labels of its choices in order.
 */
export function variablesOf(q: Questionnaire, language: string): Record<string, Variable> {
  const meta = metaFields
    .filter(({ exported }) => exported)
    .map(({ key, type, label }): [string, Variable] => [
      key,
      { type: VARIABLE_TYPES[type], label, ...(type === 'state' && { choices: [...STATE_LABELS] }) },
    ])
  return Object.fromEntries([...meta, ...q.fields.map((field) => [field.key, variableOf(field, q, language)] as const)])
}

function variableOf(field: Field, q: Questionnaire, language: string): Variable {
  const type = VARIABLE_TYPE_OF[field.type] ?? field.type
  const label = fieldTitle(field, q, language)
  // Net-promoter answers and ratings are numbers, which need no labels.
  if (field.choices.length === 0 || field.type === 'number') return { type, label }
  return { type, label, choices: field.choices.map((choice) => textIn(choice.label, language, q)) }
}

/**
 * Returns the title of a response key: the title of its question, followed by the row of a grid, “(other)” or the part
 * of its answer.
 */
function fieldTitle(field: Field, q: Questionnaire, language: string): string {
  const title = textIn(field.question.title, language, q)
  if (field.part || field.type === 'other') return `${title} (${field.part ?? 'other'})`
  const row = field.row ? textIn(field.row.label, language, q) : ''
  return row ? `${title} [${row}]`.trim() : title
}

/**
 * Maximum number of cells of one page. A question has one cell for each choice; a grid has one cell for each choice in
 * each row. A ranking with dropdowns has one cell for each option of each dropdown.
 */
export const MAX_PAGE_CELLS = 20_000

/** Returns the number of cells of a question. */
export const countCells = (kind: QuestionKind, choices: number, rows: number): number =>
  typeOf(kind)?.countCells?.(choices, rows) ?? choices

/**
 * Reports whether a page has more cells than the limit. Only surveys stored before the limit was introduced can have
 * such pages.
 */
export const isOversized = (questions: readonly Question[]): boolean =>
  questions.reduce((sum, { kind, choices, rows }) => sum + countCells(kind, choices.length, rows.length), 0) >
  MAX_PAGE_CELLS
