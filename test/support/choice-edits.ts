import fc from './fast-check.ts'

/** A choice, grid row or grid column. It remains the same item if its label or position changes. */
export interface Item {
  label: string
}

/** The edited lists: the choices of three questions, and the rows and columns of a grid. */
export const lists = ['one', 'many', 'rank', 'rows', 'columns'] as const
export type List = (typeof lists)[number]

export type Edit = { list: List; at: number } & (
  | { kind: 'insert' }
  | { kind: 'move'; to: number }
  | { kind: 'delete' }
  | { kind: 'relabel' }
)

/** A step of a test: an edit by the author, a response, or the restoration of an earlier version. */
export type Step =
  | { kind: 'edit'; edits: readonly Edit[]; numbered: boolean }
  | { kind: 'respond'; picks: readonly number[] }
  | { kind: 'restore'; version: number }

const list = fc.constantFrom(...lists)
const at = fc.nat(7)
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), list, at }),
  fc.record({ kind: fc.constant('move' as const), list, at, to: at }),
  fc.record({ kind: fc.constant('delete' as const), list, at }),
  fc.record({ kind: fc.constant('relabel' as const), list, at }),
)

/**
 * If an edit is `numbered`, the author sends the `uid` of each existing item. An edit without `uid`s changes only one
 * item, because without `uid`s the service cannot recognise several changed items.
 */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
      numbered: fc.constant(true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), edits: fc.tuple(edit), numbered: fc.constant(false) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('respond' as const),
      picks: fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), version: fc.nat(20) }) },
)

export const steps = fc.array(step, { minLength: 3, maxLength: 9 })

/** Returns a list after an edit. The last remaining item of a list is never deleted. */
export function applyEdit(items: readonly Item[], edit: Edit, nextLabel: () => string): Item[] {
  const next = [...items]
  const index = edit.at % Math.max(1, items.length)
  switch (edit.kind) {
    case 'insert':
      next.splice(edit.at % (items.length + 1), 0, { label: nextLabel() })
      return next
    case 'move':
      next.splice(edit.to % items.length, 0, ...next.splice(index, 1))
      return next
    case 'delete':
      return items.length === 1 ? next : next.filter((_, position) => position !== index)
    case 'relabel':
      next[index]!.label = nextLabel()
      return next
  }
}
