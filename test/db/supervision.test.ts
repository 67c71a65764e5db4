import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded.ts'
import { processStart } from '../../src/db/embedded-lease.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

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
    test(`starts it again on the same port after ${signal}, with everything that was committed`, async () => {
      const database = await startEmbedded(data)
      const { port } = database
      await ask(database.url(), 'create table kept as select 1 as it')
      for (let round = 0; round < 3; round += 1) {
        const { pid } = database
        process.kill(pid, signal)
        await until(async () => database.pid !== pid && (await answers(database.url())))
        expect(database.port).toBe(port)
        expect(await ask(database.url(), 'select it from kept')).toEqual([{ it: 1 }])
      }
      await database.stop()
    })

  test('restarts it for a process that took it over and for a second process', async () => {
    const program = spawn(process.execPath, [path.resolve('test/support/embedded-program.ts'), data], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [line] = (await once(program.stdout, 'data')) as [Buffer]
    const database = await startEmbedded(data)
    expect(database).toMatchObject({ adopted: true, pid: Number(line) })
    process.kill(database.pid, 'SIGKILL')
    await until(async () => database.pid !== Number(line) && (await answers(database.url())))
    const { pid } = database
    program.kill('SIGKILL')
    await once(program, 'exit')
    process.kill(pid, 'SIGKILL')
    await until(async () => database.pid !== pid && (await answers(database.url())))
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

  test('fails with the message of PostgreSQL when the restart fails', async () => {
    let told: Error | undefined
    const onLost = (error: Error) => {
      told = error
    }
    const database = await startEmbedded(data, { restartLimitMs: 1000, onLost })
    const version = fs.readFileSync(path.join(data, 'PG_VERSION'))
    fs.writeFileSync(path.join(data, 'PG_VERSION'), '9.6\n')
    process.kill(database.pid, 'SIGKILL')
    await until(async () => told !== undefined)
    expect(told?.message).toMatch(/cannot be restarted.*incompatible/s)
    fs.writeFileSync(path.join(data, 'PG_VERSION'), version)
    await database.stop()
  })
})

/** Waits for something that happens within seconds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await holds()); await pause(20))
    if (Date.now() > deadline) throw new Error('it did not happen within half a minute')
}

const answers = (url: string) =>
  ask(url, 'select 1').then(
    () => true,
    () => false,
  )

/** The rows that one statement answers. */
async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
