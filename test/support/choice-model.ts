import { expect } from '@jest/globals'
import { type Item, type List, lists } from './choice-edits.ts'
import type { Person } from './world.ts'

export type Lists = Record<List, Item[]>

/** What one respondent answered, by what the author meant, and the labels that they read. */
export interface Given {
  one: Item
  many: Item[]
  rank: Item[]
  grid: Map<Item, Item>
  read: Record<string, string>
}

/** A survey, what its author means by it, and what was answered. */
export class Model {
  readonly ann: Person
  readonly id: number
  readonly path: string
  readonly uri: string
  lists: Lists
  /** The choice about which a condition asks, and the saved filter. */
  readonly first: Item
  readonly given = new Map<number, Given>()
  /** Of each version, its items and what they were called. */
  readonly versions: { list: List; item: Item; label: string }[][] = []
  #names = 0

  constructor(base: string, ann: Person, made: { id: number; deploy_uri: string }, initial: Lists, names: number) {
    this.ann = ann
    this.id = made.id
    this.path = made.deploy_uri
    this.uri = `${base}/api/v3/surveys/${made.id}/`
    this.lists = initial
    this.first = initial.one[0]!
    this.#names = names
    this.note()
  }

  name = () => `L${this.#names++}`

  note() {
    this.versions.push(lists.flatMap((list) => this.lists[list].map((item) => ({ list, item, label: item.label }))))
  }

  /** The structure with its lists as they are meant now; `old` gives the numbers. */
  structure(old: Record<List, Map<Item, number>> | undefined) {
    const items = (list: List) =>
      this.lists[list].map((item) => ({
        label: item.label,
        ...(old?.[list].has(item) && { uid: old[list].get(item) }),
      }))
    const place = this.lists.one.indexOf(this.first)
    const choice = (id: List, idname: string, type: string) => ({
      idname,
      id,
      title: id,
      children: [{ type, choices: items(id) }],
    })
    return {
      title: 'Moving choices',
      form: [
        {
          children: [
            choice('one', 'single-choice', 'single'),
            choice('many', 'multiple-choice', 'multiple'),
            choice('rank', 'ranking', 'ranking'),
            {
              idname: 'single-choice-grid',
              id: 'grid',
              title: 'grid',
              choices: items('columns'),
              children: items('rows').map((row) => ({ type: 'single', ...row })),
            },
            {
              idname: 'text-response',
              id: 'extra',
              title: 'extra',
              condition: { all: [{ question: 'one', op: 'eq', value: place < 0 ? 'nothing' : place }] },
              children: [{ type: 'string' }],
            },
          ],
        },
      ],
    }
  }

  /** The numbers of the current structure. */
  async numbers(): Promise<Record<List, Map<Item, number>>> {
    const { body } = await this.ann.get(`${this.uri}structure/`)
    const [one, many, rank, grid] = body.form[0].children
    const map = (list: List, source: { label: { en: string }; uid: number }[]) => {
      expect(source.map(({ label }) => label.en)).toEqual(this.lists[list].map(({ label }) => label))
      return new Map(this.lists[list].map((item, index) => [item, source[index]!.uid]))
    }
    return {
      one: map('one', one.children[0].choices),
      many: map('many', many.children[0].choices),
      rank: map('rank', rank.children[0].choices),
      columns: map('columns', grid.choices),
      rows: map('rows', grid.children),
    }
  }
}

/** A reply that is no refusal. */
export const ok = <Got extends { status: number; text: string }>(reply: Got): Got => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`)
  return reply
}

/** The answers under their labels, by response key. */
export function labelled(model: Model, given: Given): Record<string, string> {
  const text = (items: readonly Item[]) => items.map(({ label }) => label).join(', ')
  return {
    one: given.one.label,
    ...(given.many.length > 0 && { many: text(given.many) }),
    rank: text(given.rank),
    ...Object.fromEntries(
      model.lists.rows.flatMap((row, index) =>
        given.grid.has(row) ? [[`grid_${index}`, given.grid.get(row)!.label]] : [],
      ),
    ),
  }
}
