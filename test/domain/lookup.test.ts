import { expect, test } from '@jest/globals'
import { lookup } from '../../src/domain/lookup.ts'

test('a lookup that fails is not repeated for each of those who wait', async () => {
  const lookups: number[][] = []
  const find = lookup('find numbers', async (items: readonly number[]) => {
    lookups.push([...items])
    if (items.includes(1)) throw new Error('no connection')
    return items.map((item) => (item > 4 ? undefined : item * 10))
  })
  const failed = await Promise.allSettled([1, 2, 3].map(find))
  expect(failed.map((result) => result.status === 'rejected' && String(result.reason))).toEqual(
    [1, 2, 3].map(() => 'Error: no connection'),
  )
  expect(await Promise.all([4, 5].map(find))).toEqual([40, undefined])
  expect(lookups).toEqual([
    [1, 2, 3],
    [4, 5],
  ])
})
