import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

const root = path.resolve(import.meta.dirname, '../..')
let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Runs `serve`, which is expected to fail. @returns its output and its exit code */
async function failedStart(settings: Record<string, string>): Promise<{ output: string; code: number | null }> {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    DATA_DIR: path.join(folder, 'data'),
    LOG_LEVEL: 'silent',
    ...settings,
  }
  const child = spawn(process.execPath, ['src/main.mjs', 'serve'], { cwd: root, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { output, code }
}

describe('serve', () => {
  test('fails with one line when it cannot create DATA_DIR', async () => {
    fs.writeFileSync(path.join(folder, 'file'), '')
    for (const dataDir of [path.join(folder, 'file'), path.join(folder, 'file', 'data')]) {
      const { output, code } = await failedStart({ DATA_DIR: dataDir })
      expect(output).toMatch(/^.* is not writable \((ENOTDIR|EEXIST|ENOENT|EACCES)\)\. Set DATA_DIR to a folder .*\n$/)
      expect(code).toBe(1)
    }
  })

  test('fails with one line when the database is read-only', async () => {
    const database = await createTestDatabase()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query(
      `alter database ${client.escapeIdentifier(client.database!)} set default_transaction_read_only = on`,
    )
    await client.end()
    const { output, code } = await failedStart({ DATABASE_URL: database.url })
    expect(output).toMatch(
      /^DATABASE_URL: the database at .* is read-only .* Use a primary server that accepts writes\.\n$/,
    )
    expect(code).toBe(1)
    await database.drop()
  })

  test('fails with one line when PostgreSQL is older than 15 [spec 14.2]', async () => {
    const database = await createTestDatabase()
    const url = new URL(database.url)
    const target = Number(url.port)
    // A proxy that changes the major version in the replies of a newer server.
    const proxy = createServer((inner) => {
      const outer = connect(target, url.hostname)
      inner.on('error', () => undefined).pipe(outer)
      outer.on('error', () => undefined)
      outer.on('data', (bytes) =>
        inner.write(bytes.toString('latin1').replace(/\b\d\d(?=0\d{3}\b|\.\d)/g, '14'), 'latin1'),
      )
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    url.port = String((proxy.address() as AddressInfo).port)
    const { output, code } = await failedStart({ DATABASE_URL: url.href })
    expect(output).toMatch(/^DATABASE_URL: PostgreSQL 14\.\d+.* at .* is too old\. Use version 15 or newer\.\n$/)
    expect(code).toBe(1)
    proxy.close()
    await database.drop()
  })

  test('fails with one line when no server responds at DATABASE_URL', async () => {
    const { output, code } = await failedStart({ DATABASE_URL: 'postgres://ann@127.0.0.1:1/canvass' })
    expect(output).toMatch(/^DATABASE_URL: cannot connect to the database at 127\.0\.0\.1:1: .*\n$/)
    expect(code).toBe(1)
  })
})
