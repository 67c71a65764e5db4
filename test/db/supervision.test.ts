import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { processStart } from '../../src/db/embedded/cluster.ts'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('startEmbedded after its server has crashed', () => {
  let folder: string
  let data: string

  beforeEach(() => {
    folder = temporaryFolder()
    data = path.join(folder, 'pg')
  })
  afterEach(async () => {
    await removeEmbedded(data)
    fs.rmSync(folder, { recursive: true })
  })

  for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const)
    test(`restarts the server on the same port after ${signal} with all committed data`, async () => {
      const database = await startEmbedded(data)
      const { port } = database
      await query(database.url(), 'create table existing as select 1 as value')
      for (let round = 0; round < 3; round += 1) {
        const { pid } = database
        process.kill(pid, signal)
        await waitUntil(async () => database.pid !== pid && (await acceptsQueries(database.url())), 30_000)
        expect(database.port).toBe(port)
        expect(await query(database.url(), 'select value from existing')).toEqual([{ value: 1 }])
      }
      await database.stop()
    })

  test('restarts the server while two processes use it, and after the process that started it has been killed', async () => {
    const program = spawn(process.execPath, [path.resolve('test/support/embedded-program.ts'), data], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [line] = (await once(program.stdout, 'data')) as [Buffer]
    const database = await startEmbedded(data)
    expect(database).toMatchObject({ adopted: true, pid: Number(line) })
    process.kill(database.pid, 'SIGKILL')
    await waitUntil(async () => database.pid !== Number(line) && (await acceptsQueries(database.url())), 30_000)
    const { pid } = database
    program.kill('SIGKILL')
    await once(program, 'exit')
    process.kill(pid, 'SIGKILL')
    await waitUntil(async () => database.pid !== pid && (await acceptsQueries(database.url())), 30_000)
    await database.stop()
  })

  test('does not restart a server that was stopped', async () => {
    const database = await startEmbedded(data)
    const { pid } = database
    await database.stop()
    await pause(1000)
    expect(fs.existsSync(path.join(data, 'postmaster.pid'))).toBe(false)
    expect(processStart(pid)).toBeUndefined()
  })

  test('reports the message of PostgreSQL when the restart fails', async () => {
    let reported: Error | undefined
    const onLost = (error: Error) => {
      reported = error
    }
    const database = await startEmbedded(data, { restartLimitMs: 1000, onLost })
    const version = fs.readFileSync(path.join(data, 'PG_VERSION'))
    fs.writeFileSync(path.join(data, 'PG_VERSION'), '9.6\n')
    process.kill(database.pid, 'SIGKILL')
    await waitUntil(async () => reported !== undefined, 30_000)
    expect(reported?.message).toMatch(/cannot be restarted.*incompatible/s)
    fs.writeFileSync(path.join(data, 'PG_VERSION'), version)
    await database.stop()
  })
})

const acceptsQueries = (url: string) =>
  query(url, 'select 1').then(
    () => true,
    () => false,
  )

/** Runs a statement. @returns its rows */
async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
