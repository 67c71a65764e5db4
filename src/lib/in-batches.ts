/** Maximum number of items of a batch. */
const MAX_ITEMS = 100

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Returns a function that writes or reads an item together with others and returns the result for the item. While a
 * batch is being processed, the next one is collected. If a batch fails, each of its items is processed alone, so that
 * an item that fails does not affect the others.
 * @param write processes all items or none; returns the results in the order of the items
 */
export function inBatches<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isWriting = false

  async function writeAll(): Promise<void> {
    while (waiting.length) {
      const batch = waiting.slice(0, MAX_ITEMS)
      waiting = waiting.slice(MAX_ITEMS)
      await writeBatch(batch)
    }
    isWriting = false
  }

  async function writeBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error)
      else for (const each of batch) await writeBatch([each])
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isWriting) return
      isWriting = true
      // What ends in the same turn of the event loop belongs to the first batch.
      setImmediate(() => void writeAll())
    })
}
