import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { Result } from '../../scripts/faults/report.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Runs one fault in its short form, in a process of its own. */
const run = (fieldError: string): Promise<Result[]> =>
  new Promise((resolve, reject) => {
    const words = ['scripts/faults.ts', fieldError, '--short', '--json']
    const env = { PATH: process.env.PATH }
    // Faults that are found end it with a code, and the results say which.
    execFile(process.execPath, words, { cwd: root, env }, (_, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Result[])
      } catch {
        reject(new Error(`${stdout}${stderr}`))
      }
    })
  })

describe('the service under load', () => {
  test.each([
    ['loses nothing and writes again within seconds when PostgreSQL is restarted', 'restarts', 3],
    ['loses nothing and writes again within seconds when its embedded PostgreSQL is killed', 'postmaster', 1],
    ['loses nothing and writes again within seconds when its database connections fall silent', 'silence', 1],
    ['cuts no request when two servers are stopped in turn', 'rolling', 1],
    ['sends every e-mail when workers are killed', 'emails', 1],
    ['leaves no row of a survey that is deleted', 'deletion', 1],
  ])(
    '%s',
    async (_, fieldError, count) => {
      const results = await run(fieldError)
      expect(results).toHaveLength(count)
      for (const { fault: name, lost, doubled, problems } of results)
        expect({ name, lost, doubled, problems }).toEqual({ name, lost: 0, doubled: 0, problems: [] })
    },
    300_000,
  )
})
