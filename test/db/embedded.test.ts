import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded.ts'
import { processStart } from '../../src/db/embedded-lease.ts'

describe('startEmbedded', () => {
  let folder: string
  let data: string

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'canvass-embedded-'))
    fs.chmodSync(folder, 0o755)
    data = path.join(folder, 'pg')
  })
  afterEach(async () => {
    await removeEmbedded(data)
    fs.rmSync(folder, { recursive: true })
  })

  test('keeps what was written, and nobody gets in without the password', async () => {
    const first = await startEmbedded(data)
    await ask(first.url(), 'create database kept')
    await first.stop()
    expect(processStart(first.pid)).toBeUndefined()

    const second = await startEmbedded(data)
    expect(second.adopted).toBe(false)
    expect(await ask(second.url('kept'), 'select current_database() as it')).toEqual([{ it: 'kept' }])
    const stranger = new URL(second.url())
    stranger.password = 'guess'
    await expect(ask(stranger.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    expect(fs.statSync(`${data}.password`).mode & 0o777).toBe(0o600)
    await second.stop()
  })

  test('thinks in UTC and orders text the same on every machine', async () => {
    const database = await startEmbedded(data, { ephemeral: true })
    const [row] = await ask(
      database.url(),
      `select current_setting('timezone') as zone, current_setting('jit') as jit, lower('ÄÉ') as lower, 'Z' < 'a' as code_points`,
    )
    expect(row).toEqual({ zone: 'UTC', jit: 'off', lower: 'äé', code_points: true })
  })

  test('takes over the server of a program that was killed', async () => {
    const program = await runProgram(data)
    program.child.kill('SIGKILL')
    await once(program.child, 'exit')

    const database = await startEmbedded(data)
    expect(database).toMatchObject({ adopted: true, pid: program.serverPid })
    expect(await ask(database.url(), 'select 1 as it')).toEqual([{ it: 1 }])
    await database.stop()
    expect(processStart(program.serverPid)).toBeUndefined()
  })

  test('leaves the server to a program that still uses it', async () => {
    const program = await runProgram(data)
    const database = await startEmbedded(data)
    expect(database.adopted).toBe(true)
    await database.stop()
    expect(processStart(program.serverPid)).toBeDefined()
    program.child.stdin.end()
    await once(program.child, 'exit')
    expect(processStart(program.serverPid)).toBeUndefined()
  })

  test('two starts at once share one server', async () => {
    const [one, two] = await Promise.all([startEmbedded(data), startEmbedded(data)])
    expect(one.pid).toBe(two.pid)
    await one.stop()
    expect(await ask(two.url(), 'select 1 as it')).toEqual([{ it: 1 }])
    await two.stop()
  })

  test('starts after a power cut, when another program has the number of the old server', async () => {
    await (await startEmbedded(data)).stop()
    fs.writeFileSync(path.join(data, 'postmaster.pid'), `${process.pid}\n${data}\n1\n1\n\n127.0.0.1\n\nready\n`)
    const database = await startEmbedded(data)
    expect(database.adopted).toBe(false)
    await database.stop()
  })

  test('works below a folder that only we may enter, and comes back to the same data', async () => {
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

  test('refuses a folder that holds something else', async () => {
    fs.mkdirSync(data)
    fs.writeFileSync(path.join(data, 'thesis.txt'), 'mine')
    await expect(startEmbedded(data)).rejects.toThrow(/not empty.*choose another DATA_DIR/)
    expect(fs.readdirSync(data)).toEqual(['thesis.txt'])
  })

  test('says so when the password is lost', async () => {
    await (await startEmbedded(data)).stop()
    fs.rmSync(`${data}.password`)
    await expect(startEmbedded(data)).rejects.toThrow(/put it back from a backup/)
  })

  test('says why PostgreSQL does not start', async () => {
    await (await startEmbedded(data)).stop()
    fs.writeFileSync(path.join(data, 'PG_VERSION'), '9.6\n')
    await expect(startEmbedded(data)).rejects.toThrow(/set DATABASE_URL.*incompatible/s)
  })
})

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function runProgram(data: string) {
  const program = path.resolve('test/support/embedded-program.ts')
  const child = spawn(process.execPath, [program, data], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, serverPid: Number(line) }
}
