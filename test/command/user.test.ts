import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const root = path.resolve(import.meta.dirname, '../..')

/** Runs a command of the program with these settings. @returns its exit code and all that it printed */
const runWith = (settings: Record<string, string>, ...words: string[]): Promise<[unknown, string]> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SECRET_KEY: world.secretKey, ...settings }
    execFile(process.execPath, ['src/main.ts', ...words], { cwd: root, env }, (error, stdout, stderr) =>
      resolve([error?.code ?? 0, stdout + stderr]),
    )
  })

/** Runs `user` on the world's database. */
const told = (...words: string[]) => runWith({ DATABASE_URL: world.databaseUrl }, 'user', ...words)

test('user creates an account with working credentials, or prints one line with the error', async () => {
  const [code, printed] = await told('ann', 'ann@example.org')
  expect(code).toBe(0)
  const [, password, apiKey] = /password {3}(\S+)\nAPI key {4}(\S+)\n$/.exec(printed)!
  const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:${password}`).toString('base64')}` }
  expect((await world.anonymous.get('/api/v2/me', { headers })).body.user.username).toBe('ann')

  expect(await told('Ann', 'other@example.org')).toEqual([1, 'This user name is taken.\n'])
  expect(await told('bob', 'ANN@example.org')).toEqual([1, 'This email address already has an account.\n'])
  expect(await told('bob', 'bob')).toEqual([1, 'email: must be an email address\n'])
}, 60_000)

test('password sets a new password and ends the sessions of the account', async () => {
  const { actor, password, apiKey } = await world.person()
  const [code, printed] = await runWith({ DATABASE_URL: world.databaseUrl }, 'password', actor.username)
  expect(code).toBe(0)
  const [, renewed] = /^password {3}(\S+)$/m.exec(printed)!
  expect((await world.anonymous.with(apiKey, renewed!).get('/api/v2/me')).body.user.username).toBe(actor.username)
  expect((await world.anonymous.with(apiKey, password).get('/api/v2/me')).status).toBe(401)
  expect(await runWith({ DATABASE_URL: world.databaseUrl }, 'password', 'no-one')).toEqual([
    1,
    'There is no account with the user name or email address no-one.\n',
  ])
}, 60_000)

test.each([
  ['user', 'ann', 'ann@example.org'],
  ['seed', '10'],
])('%s reports a folder without a database and creates none', async (...words) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-empty-'))
  try {
    const [code, printed] = await runWith({ DATA_DIR: folder }, ...words)
    expect(code).toBe(1)
    expect(printed).toContain(`There is no database in ${folder}. Set DATA_DIR or DATABASE_URL`)
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('user does not create a missing database', async () => {
  const url = new URL(world.databaseUrl)
  url.pathname = '/misspelt'
  for (const _ of [1, 2]) {
    const [code, printed] = await runWith({ DATABASE_URL: String(url) }, 'user', 'ann', 'ann@example.org')
    expect(code).toBe(1)
    expect(printed).toContain('database "misspelt" does not exist')
  }
}, 60_000)

test('seed --help prints the usage', async () => {
  const [code, printed] = await runWith({}, 'seed', '--help')
  expect(code).toBe(0)
  expect(printed).toContain('usage: node src/main.ts <command>')
})
