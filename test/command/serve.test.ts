import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freshDatabase } from '../support/database.ts'

const root = path.resolve(import.meta.dirname, '../..')
const neighbour = createServer((line) => line.destroy())
let empty: Awaited<ReturnType<typeof freshDatabase>>
let taken: number
beforeAll(async () => {
  empty = await freshDatabase()
  await once(neighbour.listen(0, '127.0.0.1'), 'listening')
  taken = (neighbour.address() as AddressInfo).port
})
afterAll(async () => {
  neighbour.close()
  await empty.drop()
})

interface Ended {
  code: unknown
  printed: string
}

/** What becomes of `serve` with these settings when it cannot begin. */
const refused = (settings: Record<string, string>): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SECRET_KEY: 'a key for tests, long enough to be one', ...settings }
    execFile(process.execPath, ['src/main.ts', 'serve'], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code, printed: stdout + stderr }),
    )
  })

describe('serve', () => {
  test('on a port that is taken says so, and shows no secrets that would be lost', async () => {
    const { code, printed } = await refused({ PORT: String(taken), DATABASE_URL: empty.url })
    expect(code).toBe(1)
    expect(printed).toContain(`Port ${taken} is taken`)
    expect(printed).not.toContain('password')
  }, 30_000)

  test('with a database that is not there says which, and nothing else', async () => {
    const { code, printed } = await refused({ PORT: '0', DATABASE_URL: `postgres://ann@127.0.0.1:${taken}/canvass` })
    expect(code).toBe(1)
    expect(printed.trim()).toMatch(new RegExp(`^DATABASE_URL: .* 127\\.0\\.0\\.1:${taken}: .+$`))
  }, 30_000)
})
