import { execFileSync } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'

/** What a process writes that logs `count` lines and then ends in its way. */
const linesOf = (count: number, end: string): { at: number }[] => {
  const program = `
    const { createLog } = await import(${JSON.stringify(new URL('../../src/lib/log.ts', import.meta.url).href)})
    const log = createLog('info')
    for (let at = 0; at < ${count}; at += 1) log.info({ at }, 'a line of the usual length, or nearly')
    ${end}`
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** In order and whole; of many portions where the end waits for what is being written. */
describe('no line is lost', () => {
  it.each([
    ['that ends by itself', '', [1, 3, 5_000]],
    ['that is told to end', 'process.exit(0)', [1, 3]],
    ['that flushes and then ends', 'log.flush(() => process.exit(0))', [1, 3, 5_000]],
    ['that fails', "process.on('uncaughtException', () => process.exit(0)); throw new Error('no')", [1, 3]],
  ])('by a process %s', (_, end, counts) => {
    for (const count of counts)
      expect(linesOf(count, end).map(({ at }) => at)).toEqual(Array.from({ length: count }, (_, at) => at))
  })

  it('while the process lives on: a line waits for a moment only', () => {
    // Ended so, nothing is flushed: what is there was written before.
    const lines = linesOf(3, 'setTimeout(() => process.reallyExit(0), 1500)')
    expect(lines).toHaveLength(3)
  })
})
