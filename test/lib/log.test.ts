import { execFileSync } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'

/** Runs a process that logs a number of lines and then runs the given code. @returns the lines */
const linesOf = (count: number, end: string): { index: number }[] => {
  const program = `
    const { createLog } = await import(${JSON.stringify(new URL('../../src/lib/log.ts', import.meta.url).href)})
    const log = createLog('info')
    for (let index = 0; index < ${count}; index += 1) log.info({ index }, 'a line of the usual length')
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

describe('createLog', () => {
  it.each([
    ['that ends', '', [1, 3, 5_000]],
    ['that calls process.exit', 'process.exit(0)', [1, 3]],
    ['that flushes and calls process.exit', 'log.flush(() => process.exit(0))', [1, 3, 5_000]],
    ['that throws an error', "process.on('uncaughtException', () => process.exit(0)); throw new Error('no')", [1, 3]],
  ])('writes all lines of a process %s', (_, end, counts) => {
    for (const count of counts)
      expect(linesOf(count, end).map(({ index }) => index)).toEqual(Array.from({ length: count }, (_, index) => index))
  })

  it('writes lines within a second while the process runs', () => {
    // reallyExit flushes nothing, so all lines in the output were written before the process ended.
    const lines = linesOf(3, 'setTimeout(() => process.reallyExit(0), 1500)')
    expect(lines).toHaveLength(3)
  })
})
