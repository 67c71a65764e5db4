import { sizeOf } from '../check-page-size.ts'
import { conditionMember, type Form, type Relevance } from './form.ts'
import type { Issues } from './issues.ts'
import type { ConvertedRow } from './question.ts'
import { rowTypeOf } from './row-type.ts'
import type { FormText, TableRow } from './table.ts'

type Members = Record<string, unknown>

/** The group of a form to which a page belongs. */
export interface PageGroup {
  title: FormText | undefined
  description: FormText | undefined
  relevance: Relevance
}

/**
 * Parts of the limits of a page that questions of a form may fill. The rest is for its heading, and for what all pages
 * have.
 */
const MAX_CELLS = 20_000
const MAX_CHARACTERS = 3_000_000
const MAX_PLACEHOLDERS = 50_000

/** The pages of a survey while a form is converted. */
export class Pages {
  readonly list: Members[] = []
  readonly #form: Form
  #group: PageGroup | undefined
  #size = { cells: 0, characters: 0, placeholders: 0 }
  #names = new Set<string>()
  /** The groups that have a page. */
  readonly #begun = new Set<PageGroup>()
  /** Whether the next question begins a page. */
  #isClosed = true

  constructor(form: Form) {
    this.#form = form
  }

  /** Begins a page before the next question. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * Prepares the page for a question: begins a page if there is none, if the page belongs to another group, or if a text
   * of the question refers to an answer on the page, which is not known when the page is shown.
   * @returns whether a page begins
   */
  open(group: PageGroup, references: readonly string[]): boolean {
    if (!this.#isClosed && this.#group === group && !references.some((name) => this.#names.has(name))) return false
    this.#begin(group)
    return true
  }

  #begin(group: PageGroup): void {
    const isContinued = this.#begun.has(group)
    // A page whose questions were all left out has nothing to show.
    if (this.list.length > 0 && this.#questions.length === 0) this.list.pop()
    const { title, description, relevance } = group
    this.list.push({
      type: 'page',
      ...(title !== undefined && { title }),
      ...(description !== undefined && !isContinued && { description }),
      ...conditionMember(relevance.result, this.#form),
      children: [],
    })
    this.#group = group
    this.#begun.add(group)
    this.#size = { cells: 0, characters: 0, placeholders: 0 }
    this.#names = new Set()
    this.#isClosed = false
  }

  get #questions(): Members[] {
    return this.list.at(-1)!.children as Members[]
  }

  /** Adds a converted row to the page. If the page would be too large, begins the next one. */
  add({ question, referables }: ConvertedRow): void {
    if (question) {
      const added = sizeOf(question)
      const sum = (member: keyof typeof added) => this.#size[member] + added[member]
      const isFull =
        sum('cells') > MAX_CELLS || sum('characters') > MAX_CHARACTERS || sum('placeholders') > MAX_PLACEHOLDERS
      if (isFull && this.#questions.length > 0) this.#begin(this.#group!)
      this.#size = { cells: sum('cells'), characters: sum('characters'), placeholders: sum('placeholders') }
      if (isFull) this.#size = added
      this.#questions.push(question)
    }
    for (const [name, referable] of referables) {
      const isKnown = referable.page === -1
      if (!isKnown && question) this.#names.add(name)
      this.#form.addReferable(name, { ...referable, page: isKnown ? -1 : this.list.length - 1 })
    }
  }

  /** Returns the pages with questions. */
  finish(): Members[] {
    return this.list.filter(({ children }) => (children as Members[]).length > 0)
  }
}

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
