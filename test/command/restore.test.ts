import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { removeEmbedded } from '../../src/db/embedded/embedded.ts'
import { freePort, type RunningProgram, startProgram } from '../support/process.ts'
import { temporaryFolder } from '../support/temp-postgres.ts'

const apiKey = 'a key for this test that is long enough'
const password = 'a password for tests'
let folder: string
let data: string
let port: number
let server: RunningProgram
beforeEach(async () => {
  folder = temporaryFolder()
  data = path.join(folder, 'data')
  port = await freePort()
})
afterEach(async () => {
  await server.kill('SIGKILL')
  await removeEmbedded(path.join(data, 'postgres'))
  fs.rmSync(folder, { recursive: true })
})

async function start(): Promise<void> {
  const env = {
    PORT: String(port),
    DATA_DIR: data,
    ADMIN_USERNAME: 'ann',
    ADMIN_EMAIL: 'ann@example.org',
    ADMIN_PASSWORD: password,
    ADMIN_API_KEY: apiKey,
    LOG_LEVEL: 'silent',
    STOP_DELAY_SECONDS: '0',
    WORKER: 'off',
  }
  server = startProgram(env, 'src/main.mjs', 'serve')
  await server.waitForOutput('Canvass is running')
}

async function stop(): Promise<void> {
  expect(await server.kill('SIGTERM')).toBe(0)
}

async function call(route: string, init: RequestInit = {}) {
  const authorization = `Basic ${btoa(`${apiKey}:${password}`)}`
  const reply = await fetch(`http://127.0.0.1:${port}/api/v3/${route}`, { ...init, headers: { authorization } })
  const body = (await reply.json()) as {
    id: number
    code: string
    next_cursor: string
    results: { seq: number }[]
  }
  return { status: reply.status, body }
}

describe('a restore from a copy of the data folder, as in docs/operations.md', () => {
  test('restores the data and expires only the feed cursors that are newer than the copy', async () => {
    await start()
    const survey = (await call('surveys/', { method: 'POST', body: new URLSearchParams({ name: 'Tea' }) })).body
    const responses = `surveys/${survey.id}/responses/`
    const add = async () =>
      expect((await call(responses, { method: 'POST', body: new URLSearchParams() })).status).toBe(201)
    const read = (since?: string) => call(`${responses}changes/${since ? `?since=${since}` : ''}`)
    await add()
    const early = (await read()).body.next_cursor
    await add()
    await stop()
    const backup = path.join(folder, 'backup')
    execFileSync('cp', ['-a', data, backup])
    await start()
    await add()
    const late = (await read()).body.next_cursor
    await stop()
    fs.rmSync(data, { recursive: true })
    execFileSync('cp', ['-a', backup, data])
    await start()
    await add()
    await add()
    const expired = await read(late)
    expect([expired.status, expired.body.code]).toEqual([410, 'cursor_expired'])
    const continued = await read(early)
    expect(continued.body.results.map(({ seq }) => seq)).toEqual([2, 3, 4])
    expect((await read()).body.results).toHaveLength(4)
    await stop()
  }, 180_000)
})
