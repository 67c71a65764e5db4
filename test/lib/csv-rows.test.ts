import { expect, test } from '@jest/globals'
import { csvRows } from '../../src/lib/csv-rows.ts'

test('others get their turn while rows are read', async () => {
  const rows = csvRows('a\n'.repeat(100_000))[Symbol.asyncIterator]()
  let isOver = false
  const others: boolean[] = []
  const turn = () => {
    others.push(isOver)
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  let count = 0
  while (!(await rows.next()).done) count += 1
  isOver = true
  expect(count).toBe(100_000)
  // 200,000 characters are some 25 stretches, with a turn after each.
  expect(others.filter((wasOver) => !wasOver).length).toBeGreaterThan(10)
})
