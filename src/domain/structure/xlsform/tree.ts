import type { Issues } from './issues.ts'
import { rowTypeOf } from './row-type.ts'
import type { TableRow } from './table.ts'

/** A row of a question, or a group of rows. */
export type Node = { row: TableRow } | GroupNode

export interface GroupNode {
  row: TableRow
  children: Node[]
}

/** Maximum depth of groups. The rows of a deeper group belong to the group around it. */
const MAX_DEPTH = 20

/** Arranges rows in groups. */
export function treeOf(rows: readonly TableRow[], issues: Issues): Node[] {
  const top: Node[] = []
  /** The open groups; undefined for a group that is nested too deeply. */
  const open: (GroupNode | undefined)[] = []
  for (const row of rows) {
    if (row.get('type') === '') {
      if (row.get('name') !== '')
        issues.add('row_ignored', row.at('type'), 'The row has no type. It was left out.', row.get('name'))
      continue
    }
    const type = rowTypeOf(row.get('type'))
    if (type.kind === 'end') {
      if (open.length === 0)
        issues.add(
          'group_not_closed',
          row.at('type'),
          'The row ends a group, but no group has begun. The row was ignored.',
          row.get('type'),
        )
      open.pop()
      continue
    }
    const siblings = open.findLast((group) => group !== undefined)?.children ?? top
    if (type.kind !== 'begin') {
      siblings.push({ row })
      continue
    }
    if (type.repeat)
      issues.add(
        'repeat_not_supported',
        row.at('type'),
        'The questions cannot be repeated. They are asked once.',
        row.get('type'),
      )
    const group = open.length < MAX_DEPTH ? { row, children: [] } : undefined
    if (group) siblings.push(group)
    open.push(group)
  }
  for (const group of open)
    if (group)
      issues.add(
        'group_not_closed',
        group.row.at('type'),
        'The group has no end. It ends with the form.',
        group.row.get('type'),
      )
  return top
}
