import { expect } from '@jest/globals'
import { type Item, type List, lists } from './choice-edits.ts'
import type { Person } from './world.ts'

export type Lists = Record<List, Item[]>

/** The items that one respondent chose, and their labels at that time. */
export interface ChosenItems {
  one: Item
  many: Item[]
  rank: Item[]
  grid: Map<Item, Item>
  labels: Record<string, string>
}

/**
 * A survey, the lists of choices that it should have after the edits so far, and all answers that respondents have
 * given.
 */
export class Model {
  readonly ann: Person
  readonly id: number
  readonly path: string
  readonly uri: string
  lists: Lists
  /** The choice to which a condition and the saved filter refer. */
  readonly first: Item
  readonly responses = new Map<number, ChosenItems>()
  /** The items and labels of each version. */
  readonly versions: { list: List; item: Item; label: string }[][] = []
  #labels = 0

  constructor(base: string, ann: Person, created: { id: number; deploy_url: string }, initial: Lists, labels: number) {
    this.ann = ann
    this.id = created.id
    this.path = created.deploy_url
    this.uri = `${base}/api/v3/surveys/${created.id}/`
    this.lists = initial
    this.first = initial.one[0]!
    this.#labels = labels
    this.recordVersion()
  }

  nextLabel = () => `L${this.#labels++}`

  recordVersion() {
    this.versions.push(lists.flatMap((list) => this.lists[list].map((item) => ({ list, item, label: item.label }))))
  }

  /** Returns the structure with the current lists. @param numbers the `uid` of each item that already exists */
  structure(numbers: Record<List, Map<Item, number>> | undefined) {
    const items = (list: List) =>
      this.lists[list].map((item) => ({
        label: item.label,
        ...(numbers?.[list].has(item) && { uid: numbers[list].get(item) }),
      }))
    const position = this.lists.one.indexOf(this.first)
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
              condition: { all: [{ question: 'one', op: 'eq', value: position < 0 ? 'nothing' : position }] },
              children: [{ type: 'string' }],
            },
          ],
        },
      ],
    }
  }

  /** Reads the `uid` of each item from the current structure. */
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

/**
 * Returns the reply if its request succeeded.
 * @throws Error for status 300 and above
 */
export const expectSuccess = <Reply extends { status: number; text: string }>(reply: Reply): Reply => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`)
  return reply
}

/** Returns the label of each answer, under the key that the answer has in a response, such as `grid_0`. */
export function labelsByKey(model: Model, answers: ChosenItems): Record<string, string> {
  const text = (items: readonly Item[]) => items.map(({ label }) => label).join(', ')
  return {
    one: answers.one.label,
    ...(answers.many.length > 0 && { many: text(answers.many) }),
    rank: text(answers.rank),
    ...Object.fromEntries(
      model.lists.rows.flatMap((row, index) =>
        answers.grid.has(row) ? [[`grid_${index}`, answers.grid.get(row)!.label]] : [],
      ),
    ),
  }
}
