import fc from 'fast-check'

/** A choice, grid row or grid column as the author means it, whatever it is called and wherever it stands. */
export interface Item {
  label: string
}

/** What is edited: choices of three questions, rows and columns of a grid. */
export const lists = ['one', 'many', 'rank', 'rows', 'columns'] as const
export type List = (typeof lists)[number]

export type Edit = { list: List; at: number } & (
  | { kind: 'insert' }
  | { kind: 'move'; to: number }
  | { kind: 'delete' }
  | { kind: 'relabel' }
)

/** What the author does with the structure, and what respondents do in between. */
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

/** Without numbers only one thing is edited at a time: more is told apart by numbers alone. */
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

/** A list after an edit; never empty. */
export function edited(items: readonly Item[], change: Edit, name: () => string): Item[] {
  const next = [...items]
  const index = change.at % Math.max(1, items.length)
  switch (change.kind) {
    case 'insert':
      next.splice(change.at % (items.length + 1), 0, { label: name() })
      return next
    case 'move':
      next.splice(change.to % items.length, 0, ...next.splice(index, 1))
      return next
    case 'delete':
      return items.length === 1 ? next : next.filter((_, place) => place !== index)
    case 'relabel':
      next[index]!.label = name()
      return next
  }
}
