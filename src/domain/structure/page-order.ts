import type { Page, Questionnaire } from './questionnaire.ts'
import { shuffle } from './randomize.ts'

/** The order in which a respondent sees the pages. Pages are named by their numbers. */
export interface PageOrder {
  sequence: readonly number[]
  /** The position of each page in the sequence, counted from 1. */
  position(page: number): number
  /** The block in random order that contains a page, in the order of this respondent; undefined for a fixed page. */
  blockOf(page: number): readonly number[] | undefined
}

const blocksByQuestionnaire = new WeakMap<Questionnaire, readonly (readonly Page[])[]>()

/** Returns the blocks of pages in random order: neighbouring pages with the same `randomBlock`. */
export function randomBlocks(q: Questionnaire): readonly (readonly Page[])[] {
  let blocks = blocksByQuestionnaire.get(q)
  if (!blocks) {
    const runs: Page[][] = []
    for (const page of q.pages) {
      const run = runs.at(-1)
      if (run && page.randomBlock !== undefined && run[0]!.randomBlock === page.randomBlock) run.push(page)
      else runs.push([page])
    }
    blocks = runs.filter(({ length }) => length > 1)
    blocksByQuestionnaire.set(q, blocks)
  }
  return blocks
}

const lastOrders = new WeakMap<Questionnaire, { seed: string; order: PageOrder }>()

/**
 * Returns the order of a respondent, which depends only on the seed and the survey.
 * @param seed the key of the response; undefined for the order of the structure
 * @returns undefined if the respondent sees the pages in the order of the structure
 */
export function orderOf(q: Questionnaire, seed: string | undefined): PageOrder | undefined {
  const blocks = randomBlocks(q)
  if (seed === undefined || blocks.length === 0) return undefined
  const last = lastOrders.get(q)
  if (last?.seed === seed) return last.order
  const sequence = q.pages.map(({ number }) => number)
  const blockByPage = new Map<number, readonly number[]>()
  for (const block of blocks) {
    const first = block[0]!.number
    const order = shuffle(
      block.map(({ number }) => number),
      `${seed}\n${first}`,
    )
    sequence.splice(first - 1, order.length, ...order)
    for (const page of order) blockByPage.set(page, order)
  }
  const positions = new Map(sequence.map((page, index) => [page, index + 1]))
  const order: PageOrder = {
    sequence,
    position: (page) => positions.get(page) ?? page,
    blockOf: (page) => blockByPage.get(page),
  }
  lastOrders.set(q, { seed, order })
  return order
}

/** Returns the position at which a respondent sees a page, counted from 1. */
export const positionOf = (q: Questionnaire, page: number, seed: string | undefined): number =>
  orderOf(q, seed)?.position(page) ?? page
