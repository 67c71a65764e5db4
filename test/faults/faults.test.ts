import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { Result } from '../../tools/faults/report.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Runs the short form of the test of one injected fault, in a separate process. */
const run = (fault: string): Promise<Result[]> =>
  new Promise((resolve, reject) => {
    const args = ['tools/run.ts', 'tools/faults/chaos.ts', fault, '--short', '--json']
    const env = { PATH: process.env.PATH }
    // The exit code is not evaluated: if it is not 0, the results list the problems.
    execFile(process.execPath, args, { cwd: root, env }, (_, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Result[])
      } catch {
        reject(new Error(`${stdout}${stderr}`))
      }
    })
  })

describe('the service under load', () => {
  test.each([
    ['loses nothing and writes again within seconds when a server is killed', 'servers', 2],
    ['loses nothing and writes again within seconds when its database connections stall', 'stalled', 1],
    ['completes every request while two servers are stopped one after the other', 'rolling', 1],
    ['sends every email when workers are killed', 'emails', 1],
    ['delivers events to reachable webhook subscribers in time when other subscribers fail', 'webhooks', 1],
  ])(
    '%s',
    async (_, fault, count) => {
      const results = await run(fault)
      expect(results).toHaveLength(count)
      for (const { fault: label, lost, doubled, problems } of results)
        expect({ label, lost, doubled, problems }).toEqual({ label, lost: 0, doubled: 0, problems: [] })
    },
    300_000,
  )
})
