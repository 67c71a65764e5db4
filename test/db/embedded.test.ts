import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { processStart } from '../../src/db/embedded/cluster.ts'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

/**
 * Waits up to five seconds until a process has ended. A deleted lock file is not enough, because PostgreSQL deletes the
 * file shortly before its process ends.
 * @returns undefined if the process has ended
 */
async function waitForEnd(pid: number): Promise<string | undefined> {
  for (const deadline = Date.now() + 5000; processStart(pid) && Date.now() < deadline; ) await pause(10)
  return processStart(pid)
}

describe('startEmbedded on an empty folder', () => {
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

  test('takes over the PostgreSQL server that a killed process had started', async () => {
    const program = await runProgram(data)
    program.child.kill('SIGKILL')
    await once(program.child, 'exit')

    const database = await startEmbedded(data)
    expect(database).toMatchObject({ adopted: true, pid: program.serverPid })
    expect(await query(database.url(), 'select 1 as value')).toEqual([{ value: 1 }])
    await database.stop()
    expect(await waitForEnd(program.serverPid)).toBeUndefined()
  })

  test('returns a database whose stop() leaves PostgreSQL running while another process uses it', async () => {
    const program = await runProgram(data)
    const database = await startEmbedded(data)
    expect(database.adopted).toBe(true)
    await database.stop()
    expect(processStart(program.serverPid)).toBeDefined()
    program.child.stdin.end()
    await once(program.child, 'exit')
    expect(await waitForEnd(program.serverPid)).toBeUndefined()
  })

  test('starts one server for two concurrent calls', async () => {
    const databases = await Promise.all([
      startEmbedded(data, { ephemeral: true }),
      startEmbedded(data, { ephemeral: true }),
    ])
    expect(databases[0].pid).toBe(databases[1].pid)
    await databases[0].stop()
    expect(await query(databases[1].url(), 'select 1 as value')).toEqual([{ value: 1 }])
    await databases[1].stop()
    expect(fs.readdirSync(folder)).toEqual([])
  })

  test('works in a folder below a private folder, and keeps the data when it is started again', async () => {
    fs.chmodSync(folder, 0o700)
    const lines: string[] = []
    const first = await startEmbedded(data, { log: (line) => lines.push(line) })
    await query(first.url(), 'create database existing')
    await first.stop()
    const second = await startEmbedded(data)
    expect(await query(second.url('existing'), 'select 1 as value')).toEqual([{ value: 1 }])
    await second.stop()
    expect(lines).toHaveLength(process.getuid?.() === 0 ? 1 : 0)
  })

  test('rejects a folder with other files', async () => {
    fs.mkdirSync(data)
    fs.writeFileSync(path.join(data, 'thesis.txt'), 'text')
    await expect(startEmbedded(data)).rejects.toThrow(/not empty.*set DATA_DIR to another folder/i)
    expect(fs.readdirSync(data)).toEqual(['thesis.txt'])
  })
})

describe('startEmbedded on an existing cluster', () => {
  const folder = temporaryFolder()
  const data = path.join(folder, 'pg')

  beforeAll(async () => {
    const database = await startEmbedded(data)
    await query(database.url(), 'create database existing')
    await database.stop()
  })
  afterAll(async () => {
    await removeEmbedded(data)
    fs.rmSync(folder, { recursive: true })
  })

  test('keeps the data of the cluster, uses UTC and sorts text by code point', async () => {
    const database = await startEmbedded(data)
    const statement = `select current_setting('timezone') as zone, current_setting('jit') as jit, lower('ÄÉ') as lower, 'Z' < 'a' as code_points`
    expect(await query(database.url('existing'), statement)).toEqual([
      { zone: 'UTC', jit: 'off', lower: 'äé', code_points: true },
    ])
    await database.stop()
    expect(await waitForEnd(database.pid)).toBeUndefined()
  })

  test('rejects connections without the password', async () => {
    const database = await startEmbedded(data)
    const wrongUrl = new URL(database.url())
    wrongUrl.password = 'guess'
    await expect(query(wrongUrl.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    expect(fs.statSync(`${data}.password`).mode & 0o777).toBe(0o600)
    await database.stop()
  })

  test('starts after a power failure even if another process now has the process ID of the old server', async () => {
    fs.writeFileSync(path.join(data, 'postmaster.pid'), `${process.pid}\n${data}\n1\n1\n\n127.0.0.1\n\nready\n`)
    const database = await startEmbedded(data)
    expect(database.adopted).toBe(false)
    await database.stop()
  })

  test('reports that the file with the password is missing', async () => {
    fs.renameSync(`${data}.password`, `${data}.lost`)
    await expect(startEmbedded(data)).rejects.toThrow(/Restore it from a backup/)
    fs.renameSync(`${data}.lost`, `${data}.password`)
  })

  test('reports why PostgreSQL does not start', async () => {
    const control = path.join(data, 'global', 'pg_control')
    fs.renameSync(control, `${control}.lost`)
    await expect(startEmbedded(data)).rejects.toThrow(/set DATABASE_URL.*pg_control/s)
    fs.renameSync(`${control}.lost`, control)
  })
})

/** Runs a statement. @returns its rows */
async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/**
 * Runs embedded-program.ts in a separate process. The program starts a PostgreSQL server, and stops this server when
 * the standard input ends.
 */
async function runProgram(data: string) {
  const program = path.resolve('test/support/embedded-program.ts')
  const child = spawn(process.execPath, [program, data], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, serverPid: Number(line) }
}
