import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded.ts'
import { processStart } from '../../src/db/embedded-lease.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

/** What still runs under a pid after a stop: the lock file goes a moment before the process. */
async function endOf(pid: number): Promise<string | undefined> {
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

  test('takes over the server of a killed process', async () => {
    const program = await runProgram(data)
    program.child.kill('SIGKILL')
    await once(program.child, 'exit')

    const database = await startEmbedded(data)
    expect(database).toMatchObject({ adopted: true, pid: program.serverPid })
    expect(await ask(database.url(), 'select 1 as it')).toEqual([{ it: 1 }])
    await database.stop()
    expect(await endOf(program.serverPid)).toBeUndefined()
  })

  test('does not stop a server that another process uses', async () => {
    const program = await runProgram(data)
    const database = await startEmbedded(data)
    expect(database.adopted).toBe(true)
    await database.stop()
    expect(processStart(program.serverPid)).toBeDefined()
    program.child.stdin.end()
    await once(program.child, 'exit')
    expect(await endOf(program.serverPid)).toBeUndefined()
  })

  test('starts one server for two concurrent calls', async () => {
    const both = await Promise.all([startEmbedded(data, { ephemeral: true }), startEmbedded(data, { ephemeral: true })])
    expect(both[0].pid).toBe(both[1].pid)
    await both[0].stop()
    expect(await ask(both[1].url(), 'select 1 as it')).toEqual([{ it: 1 }])
    await both[1].stop()
    expect(fs.readdirSync(folder)).toEqual([])
  })

  test('works below a private folder and finds its data again', async () => {
    fs.chmodSync(folder, 0o700)
    const lines: string[] = []
    const first = await startEmbedded(data, { log: (line) => lines.push(line) })
    await ask(first.url(), 'create database kept')
    await first.stop()
    const second = await startEmbedded(data)
    expect(await ask(second.url('kept'), 'select 1 as it')).toEqual([{ it: 1 }])
    await second.stop()
    expect(lines).toHaveLength(process.getuid?.() === 0 ? 1 : 0)
  })

  test('rejects a folder with other files', async () => {
    fs.mkdirSync(data)
    fs.writeFileSync(path.join(data, 'thesis.txt'), 'mine')
    await expect(startEmbedded(data)).rejects.toThrow(/not empty.*set DATA_DIR to another folder/i)
    expect(fs.readdirSync(data)).toEqual(['thesis.txt'])
  })
})

describe('startEmbedded on a cluster', () => {
  const folder = temporaryFolder()
  const data = path.join(folder, 'pg')

  beforeAll(async () => {
    const database = await startEmbedded(data)
    await ask(database.url(), 'create database kept')
    await database.stop()
  })
  afterAll(async () => {
    await removeEmbedded(data)
    fs.rmSync(folder, { recursive: true })
  })

  test('keeps its data, uses UTC and sorts text independently of the locale', async () => {
    const database = await startEmbedded(data)
    const question = `select current_setting('timezone') as zone, current_setting('jit') as jit, lower('ÄÉ') as lower, 'Z' < 'a' as code_points`
    expect(await ask(database.url('kept'), question)).toEqual([
      { zone: 'UTC', jit: 'off', lower: 'äé', code_points: true },
    ])
    await database.stop()
    expect(await endOf(database.pid)).toBeUndefined()
  })

  test('rejects connections without the password', async () => {
    const database = await startEmbedded(data)
    const stranger = new URL(database.url())
    stranger.password = 'guess'
    await expect(ask(stranger.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    expect(fs.statSync(`${data}.password`).mode & 0o777).toBe(0o600)
    await database.stop()
  })

  test('starts after a power failure when another process has the old process id', async () => {
    fs.writeFileSync(path.join(data, 'postmaster.pid'), `${process.pid}\n${data}\n1\n1\n\n127.0.0.1\n\nready\n`)
    const database = await startEmbedded(data)
    expect(database.adopted).toBe(false)
    await database.stop()
  })

  test('reports a lost password', async () => {
    fs.renameSync(`${data}.password`, `${data}.lost`)
    await expect(startEmbedded(data)).rejects.toThrow(/Restore it from a backup/)
    fs.renameSync(`${data}.lost`, `${data}.password`)
  })

  test('reports why PostgreSQL does not start', async () => {
    const version = fs.readFileSync(path.join(data, 'PG_VERSION'))
    fs.writeFileSync(path.join(data, 'PG_VERSION'), '9.6\n')
    await expect(startEmbedded(data)).rejects.toThrow(/set DATABASE_URL.*incompatible/s)
    fs.writeFileSync(path.join(data, 'PG_VERSION'), version)
  })
})

/** The rows that one statement answers. */
async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** A program of its own with a server on the folder; it stops when its input ends. */
async function runProgram(data: string) {
  const program = path.resolve('test/support/embedded-program.ts')
  const child = spawn(process.execPath, [program, data], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, serverPid: Number(line) }
}
