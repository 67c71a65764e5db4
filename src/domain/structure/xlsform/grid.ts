import type { Result } from './condition.ts'
import { conditionMember, type Form, textOf } from './form.ts'
import { rowTypeOf } from './row-type.ts'
import type { TableRow } from './table.ts'
import type { GroupNode } from './tree.ts'

const MIN_ROWS = 2

/**
 * Converts a group of questions that ODK shows as a table: the group has the appearance `table-list`, or its first row
 * has the appearance `label` and all other rows have the appearance `list-nolabel`.
 * @returns undefined for any other group, and for a table that a grid cannot represent
 */
export function gridOf(group: GroupNode, form: Form, shownIf: Result | undefined): Record<string, unknown> | undefined {
  const rows = group.children.flatMap((node) => ('children' in node ? [] : [node.row]))
  const isTable = /\btable-list\b/.test(group.row.get('appearance'))
  const header = rows[0]?.get('appearance') === 'label' ? rows[0] : undefined
  const questions = header ? rows.slice(1) : rows
  const areRows = isTable || (header && questions.every((row) => row.get('appearance') === 'list-nolabel'))
  if (!areRows || questions.length < MIN_ROWS || rows.length !== group.children.length) return undefined
  const listName = listOf(questions[0]!)
  const list = listName === undefined ? undefined : form.lists.get(listName)
  const id = form.ids.get(group.row.number)!
  const isPlain = questions.every(
    (row) =>
      listOf(row) === listName && ['relevant', 'constraint', 'choice_filter'].every((name) => row.get(name) === ''),
  )
  const areKeysFree = questions.every((_, index) => !form.idsByName.has(`${id}_${index}`))
  if (!list || !isPlain || !areKeysFree) return undefined
  form.useList(list)
  for (const [index, row] of questions.entries())
    form.referables.set(row.get('name'), { key: `${id}_${index}`, answer: 'single', positions: list.positions })
  const title = textOf(group.row, 'label', form) ?? (header && textOf(header, 'label', form))
  const description = textOf(group.row, 'hint', form)
  return {
    idname: 'single-choice-grid',
    id,
    title: title ?? id,
    ...(description !== undefined && { description }),
    ...conditionMember(shownIf, form),
    choices: list.choices,
    children: questions.map((row) => ({
      type: 'single',
      label: textOf(row, 'label', form) ?? form.ids.get(row.number),
      ...(row.isYes('required') && { required: true }),
    })),
  }
}

/** Returns the name of the list of a question that accepts a single choice; undefined for any other row. */
function listOf(row: TableRow): string | undefined {
  const type = rowTypeOf(row.get('type'))
  return type.kind === 'select' && !type.multiple && !type.orOther ? type.list : undefined
}
