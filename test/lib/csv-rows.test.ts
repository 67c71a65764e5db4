import { expect, test } from '@jest/globals'
import { csvRows } from '../../src/lib/csv.ts'

test('csvRows lets other tasks run while it reads rows', async () => {
  const rows = csvRows('a\n'.repeat(100_000))[Symbol.asyncIterator]()
  let isFinished = false
  let otherTasks = 0
  const runOtherTask = () => {
    if (isFinished) return
    otherTasks += 1
    setImmediate(runOtherTask)
  }
  setImmediate(runOtherTask)
  let count = 0
  while (!(await rows.next()).done) count += 1
  isFinished = true
  expect(count).toBe(100_000)
  // 200,000 characters are read in about 25 parts.
  expect(otherTasks).toBeGreaterThan(10)
})
