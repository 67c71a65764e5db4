import { describe, expect, test } from '@jest/globals'
import { inBatches } from '../../src/lib/in-batches.ts'

describe('inBatches', () => {
  test('collects the next batch while one is written, and returns the result of each item', async () => {
    const batches: number[][] = []
    const write = inBatches(async (items: readonly number[]) => {
      batches.push([...items])
      return items.map((item) => item * 10)
    })
    const first = [1, 2].map(write)
    await first[0]
    const second = [3, 4, 5].map(write)
    expect(await Promise.all([...first, ...second])).toEqual([10, 20, 30, 40, 50])
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ])
    expect(await write(6)).toBe(60)
  })

  test('writes at most 100 items together', async () => {
    const sizes: number[] = []
    const write = inBatches(async (items: readonly number[]) => {
      sizes.push(items.length)
      return items
    })
    const items = Array.from({ length: 250 }, (_, index) => index)
    expect(await Promise.all(items.map(write))).toEqual(items)
    expect(sizes).toEqual([100, 100, 50])
  })

  test('writes each item of a failed batch alone, so that only the item that cannot be written fails', async () => {
    const write = inBatches(async (items: readonly string[]) => {
      if (items.includes('bad')) throw new Error('not writable')
      return items
    })
    const results = await Promise.allSettled(['one', 'bad', 'two'].map(write))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await write('three')).toBe('three')
  })
})
