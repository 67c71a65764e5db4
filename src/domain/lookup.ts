import { inBatches } from '../lib/in-batches.ts'
import { currentTraceparent, inBatchSpan } from '../lib/tracing.ts'

interface Waiting<Item> {
  item: Item
  traceparent: string | undefined
}

/**
 * Returns a function that looks up an item together with others. A lookup begins after its call, so that its result
 * contains everything that was committed before. If a lookup fails, it fails for all of its items at once: it fails
 * because of the database, so further attempts would only keep those who wait for longer.
 * @param name the name of the span
 * @param find returns the results in the order of the items
 */
export function lookup<Item, Found>(
  name: string,
  find: (items: readonly Item[]) => Promise<readonly (Found | undefined)[]>,
): (item: Item) => Promise<Found | undefined> {
  type Result = { found: Found | undefined } | { error: unknown }
  const run = inBatches<Waiting<Item>, Result>(async (waiting) => {
    const requests = waiting.map(({ traceparent }) => traceparent)
    try {
      const all = await inBatchSpan(name, requests, {}, () => find(waiting.map(({ item }) => item)))
      return all.map((found) => ({ found }))
    } catch (error) {
      return waiting.map(() => ({ error }))
    }
  })
  return async (item) => {
    const result = await run({ item, traceparent: currentTraceparent() })
    if ('error' in result) throw result.error
    return result.found
  }
}
