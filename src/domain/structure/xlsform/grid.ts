import { MAX_PAGE_CELLS } from '../outline.ts'
import { MAX_CODE_CHARACTERS } from '../walk.ts'
import { type ChoiceList, withNumericScores } from './choices.ts'
import type { Referable } from './condition.ts'
import { conditionMember, type Form, namesIn, type Relevance, textOf, withPlaceholders } from './form.ts'
import type { GroupNode } from './pages.ts'
import { reportCells, requiredOf } from './question.ts'
import { rowTypeOf } from './row-type.ts'
import type { TableRow } from './table.ts'

const MIN_ROWS = 2

/** A group that becomes a grid. */
export interface GridPlan {
  group: GroupNode
  /** The row with the labels of the columns, which is no question. */
  header: TableRow | undefined
  questions: readonly TableRow[]
  list: ChoiceList
}

/**
 * Recognises a group of questions that ODK shows as a table: the group has the appearance `table-list`, or its first row
 * has the appearance `label` and all other rows have the appearance `list-nolabel`.
 * @returns undefined for any other group, and for a table that a grid cannot represent
 */
export function gridPlanOf(group: GroupNode, form: Form): GridPlan | undefined {
  const rows = group.children.flatMap((node) => ('children' in node ? [] : [node.row]))
  const isTable = /\btable-list\b/.test(group.row.get('appearance'))
  const header = isHeader(rows[0]) ? rows[0] : undefined
  const questions = header ? rows.slice(1) : rows
  const areRows = isTable || (header && questions.every((row) => /\blist-nolabel\b/.test(row.get('appearance'))))
  if (!areRows || questions.length < MIN_ROWS || rows.length !== group.children.length) return undefined
  const listName = listOf(questions[0]!)
  const list = listName === undefined ? undefined : form.lists.get(listName)
  const id = form.ids.get(group.row.number)!
  const isPlain = questions.every(
    (row) =>
      listOf(row) === listName && ['relevant', 'constraint', 'choice_filter'].every((name) => row.get(name) === ''),
  )
  const areKeysFree = questions.every((_, index) => !form.names.has(`${id}_${index}`))
  if (!list || !isPlain || !areKeysFree || list.choices.length * questions.length > MAX_PAGE_CELLS / 2) return undefined
  const isCalculated = questions.some((row) => form.calculated.has(row.get('name')))
  return { group, header, questions, list: (isCalculated && withNumericScores(list)) || list }
}

/** Recognises a row that only shows the labels of the choices of the following rows. */
export const isHeader = (row: TableRow | undefined): boolean =>
  row !== undefined && /^label$/.test(row.get('appearance')) && listOf(row) !== undefined

/** Returns the names to which the texts of a grid refer. */
export const namesInGrid = ({ group, header, questions, list }: GridPlan, form: Form): string[] =>
  namesIn([
    ...[group.row, ...(header ? [header] : []), ...questions].flatMap((row) =>
      ['label', 'hint'].map((column) => row.text(column, form.defaultLanguage)),
    ),
    ...list.choices.map(({ label }) => label),
  ])

/** Converts a group to a grid. */
export function gridOf({ group, header, questions, list }: GridPlan, form: Form, relevance: Relevance) {
  const id = form.ids.get(group.row.number)!
  form.useList(list)
  const title = textOf(group.row, 'label', form) ?? (header && textOf(header, 'label', form))
  const description = textOf(group.row, 'hint', form) ?? (header && textOf(header, 'hint', form))
  const grid = {
    idname: 'single-choice-grid',
    id,
    title: title ?? id,
    ...(description !== undefined && { description }),
    ...conditionMember(relevance.result, form),
    choices: list.choices.map((choice) => ({
      ...choice,
      label: withPlaceholders(choice.label, group.row, 'label', form),
    })),
    children: questions.map((row, index) => {
      const name = row.get('name')
      const isFirst = questions.findIndex((other) => other.get('name') === name) === index
      const code = isFirst && name !== '' && name.length <= MAX_CODE_CHARACTERS ? { code: name } : {}
      return { ...rowOf(row, `${id}_${index}`, form, relevance), ...code }
    }),
  }
  const isScored = list.choices.length > 0 && list.choices.every(({ score }) => score !== undefined)
  const referable = (index: number): Omit<Referable, 'page'> => ({
    key: `${id}_${index}`,
    answer: 'single',
    positions: list.positions,
    codes: list.choices.map(({ code }) => code),
    isScored,
  })
  return { question: grid, referables: questions.map((row, index) => [row.get('name'), referable(index)] as const) }
}

function rowOf(row: TableRow, key: string, form: Form, relevance: Relevance): Record<string, unknown> {
  const name = row.get('name')
  if (row.text('hint', form.defaultLanguage) !== undefined)
    form.issues.add(
      'column_ignored',
      row.at('hint'),
      'A row of a grid has no hint. The hint was left out.',
      row.get('hint'),
    )
  reportCells(row, form, 'single-choice-grid')
  form.issues.add(
    'name_changed',
    row.at('name'),
    `The question becomes a row of a grid. Its answers have the key “${key}”.`,
    name,
  )
  return {
    type: 'single',
    label: textOf(row, 'label', form) ?? form.ids.get(row.number),
    ...requiredOf(row, form, relevance),
  }
}

/** Returns the name of the list of a question that accepts a single choice; undefined for any other row. */
function listOf(row: TableRow): string | undefined {
  const type = rowTypeOf(row.get('type'))
  return type.kind === 'select' && !type.multiple && !type.orOther ? type.list : undefined
}
