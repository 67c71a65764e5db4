import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const root = path.resolve(import.meta.dirname, '../..')

/** Runs a command of the program. @returns its exit code and output */
const runWith = (settings: Record<string, string>, ...args: string[]): Promise<[unknown, string]> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SECRET_KEY: world.secretKey, ...settings }
    execFile(process.execPath, ['src/main.mjs', ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve([error?.code ?? 0, stdout + stderr]),
    )
  })

/** Runs `canvass user` with the database of the world. */
const runUser = (...args: string[]) => runWith({ DATABASE_URL: world.databaseUrl }, 'user', ...args)

test('the command user creates an account with working credentials, or prints one line with the error', async () => {
  const [code, output] = await runUser('ann', 'ann@example.org')
  expect(code).toBe(0)
  const [, password, apiKey] = /password {3}(\S+)\nAPI key {4}(\S+)\n$/.exec(output)!
  const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:${password}`).toString('base64')}` }
  expect((await world.anonymous.get('/api/v3/', { headers })).status).toBe(200)

  expect(await runUser('Ann', 'other@example.org')).toEqual([1, 'This username is taken.\n'])
  expect(await runUser('bob', 'ANN@example.org')).toEqual([1, 'This email address already has an account.\n'])
  expect(await runUser('bob', 'bob')).toEqual([1, 'email: must be an email address\n'])
}, 60_000)

test('the command password sets a new password and ends the sessions of the account', async () => {
  const { actor, password, apiKey } = await world.person()
  const [code, output] = await runWith({ DATABASE_URL: world.databaseUrl }, 'password', actor.username)
  expect(code).toBe(0)
  const [, newPassword] = /^password {3}(\S+)$/m.exec(output)!
  expect((await world.anonymous.with(apiKey, newPassword!).get('/api/v3/')).status).toBe(200)
  expect((await world.anonymous.with(apiKey, password).get('/api/v3/')).status).toBe(401)
  expect(await runWith({ DATABASE_URL: world.databaseUrl }, 'password', 'no-one')).toEqual([
    1,
    'There is no account with the username or email address no-one.\n',
  ])
}, 60_000)

test('the command users lists accounts, all or those that contain a text', async () => {
  const settings = { DATABASE_URL: world.databaseUrl }
  const carla = await world.person({ username: 'carla_r', email: 'carla@example.net', isDeveloper: true })
  await carla.post('/api/v3/surveys/', { json: { name: 'Drinks' } })
  const [code, table] = await runWith(settings, 'users')
  expect([code, table.split('\n')[0]!.split(/ {2,}/)]).toEqual([
    0,
    ['username', 'email', 'created', 'last seen', 'surveys', 'plan'],
  ])
  expect(table).toMatch(/^carla_r +carla@example\.net +2026-01-15 +1 +standard +developer$/m)
  const [, json] = await runWith(settings, 'users', 'EXAMPLE.NET', '--json')
  expect(JSON.parse(json)).toMatchObject([{ username: 'carla_r', surveys: 1, developer: true, secondFactor: false }])
  // An underscore is not a wildcard.
  expect(JSON.parse((await runWith(settings, 'users', 'carla_x', '--json'))[1])).toEqual([])
}, 60_000)

test('the command users names administrators, and disables and enables accounts', async () => {
  const settings = { DATABASE_URL: world.databaseUrl }
  const dora = await world.person({ username: 'dora' })
  const users = (...args: string[]) => runWith(settings, 'users', ...args)
  const isValid = async () => (await world.anonymous.with(dora.apiKey, dora.password).get('/api/v3/')).status
  expect(await users('grant', 'dora')).toEqual([0, 'dora is an administrator now.\n'])
  expect(await users('grant', dora.actor.email)).toEqual([0, `${dora.actor.email} is an administrator already.\n`])
  expect(JSON.parse((await users('dora', '--json'))[1])).toMatchObject([{ administrator: true, disabled: false }])
  for (const change of ['revoke', 'disable'])
    expect(await users(change, 'dora')).toEqual([
      1,
      'This is the last administrator. Make another account an administrator first.\n',
    ])
  await world.person({ isAdministrator: true })
  expect(await users('revoke', 'dora')).toEqual([0, 'dora is no longer an administrator.\n'])
  expect(await isValid()).toBe(200)
  expect((await users('disable', 'dora'))[0]).toBe(0)
  expect(await isValid()).toBe(401)
  expect((await users('enable', 'dora'))[1]).toBe('dora is enabled.\n')
  expect(await isValid()).toBe(200)
  expect((await users('disable', 'no-one'))[1]).toBe('There is no account with the username or email address no-one.\n')
}, 120_000)

test('the command mail test says whether the mail server accepted the message', async () => {
  const settings = { DATABASE_URL: world.databaseUrl, DATA_DIR: world.dataDir }
  const [code, output] = await runWith(settings, 'mail', 'test', 'ann@example.org')
  expect([code, output]).toEqual([0, expect.stringContaining('There is no mail server')])
  const [failed, reason] = await runWith(
    { ...settings, SMTP_URL: 'smtp://127.0.0.1:1' },
    'mail',
    'test',
    'a@example.org',
  )
  expect([failed, reason]).toEqual([1, expect.stringMatching(/^The message was not sent: .*ECONNREFUSED/)])
  expect((await runWith(settings, 'mail', 'test', 'ann'))[1]).toContain('ann is not a valid email address')
}, 60_000)

test('the command second-factor removes it', async () => {
  const { actor } = await world.person()
  const settings = { DATABASE_URL: world.databaseUrl }
  expect(await runWith(settings, 'second-factor', actor.username)).toEqual([
    0,
    `${actor.username} has no second factor.\n`,
  ])
  await world.application.services.pool.query("insert into second_factor values ($1, 'sealed', 1, '{}', now())", [
    actor.id,
  ])
  expect(await runWith(settings, 'second-factor', actor.username)).toEqual([
    0,
    `${actor.username} signs in with the password alone now.\n`,
  ])
}, 60_000)

test('the command plan sets the plan of an account, or lists the plans of RATE_LIMITS', async () => {
  const ann = await world.person()
  const settings = { DATABASE_URL: world.databaseUrl, RATE_LIMITS: 'pro=30/60' }
  expect(await runWith(settings, 'plan', ann.actor.username, 'pro')).toEqual([0, 'plan       pro\n'])
  const { rows } = await world.application.services.pool.query('select plan from account where id = $1', [ann.actor.id])
  expect(rows).toEqual([{ plan: 'pro' }])
  expect(await runWith(settings, 'plan', ann.actor.username, 'gold')).toEqual([
    1,
    'RATE_LIMITS contains no plan gold. Plans: standard, pro.\n',
  ])
  expect(await runWith(settings, 'plan', 'no-one', 'pro')).toEqual([
    1,
    'There is no account with the username or email address no-one.\n',
  ])
}, 60_000)

test.each([
  [
    'standard=60',
    'RATE_LIMITS must be limits such as standard=6000/60 (requests/seconds), separated by commas, not "standard=60".',
  ],
  [
    'standard=60/0',
    'RATE_LIMITS must be limits such as standard=6000/60 (requests/seconds), separated by commas, not "standard=60/0".',
  ],
  ['pro=60/60,pro=6/60', 'RATE_LIMITS contains pro more than once.'],
])('RATE_LIMITS=%s is reported', async (value, message) => {
  const settings = { DATABASE_URL: world.databaseUrl, RATE_LIMITS: value }
  expect(await runWith(settings, 'plan', 'ann', 'standard')).toEqual([1, `${message}\n`])
})

test.each([
  ['user', 'ann', 'ann@example.org'],
  ['seed', '10'],
])('%s reports a folder without a database and creates none', async (...args) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-empty-'))
  try {
    const [code, output] = await runWith({ DATA_DIR: folder }, ...args)
    expect(code).toBe(1)
    expect(output).toContain(`There is no database in ${folder}. Set DATA_DIR or DATABASE_URL`)
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the command user does not create a missing database', async () => {
  const url = new URL(world.databaseUrl)
  url.pathname = '/misspelt'
  for (const _ of [1, 2]) {
    const [code, output] = await runWith({ DATABASE_URL: String(url) }, 'user', 'ann', 'ann@example.org')
    expect(code).toBe(1)
    expect(output).toContain('database "misspelt" does not exist')
  }
}, 60_000)

test('--help lists the commands, and "help <command>" describes one', async () => {
  const [code, output] = await runWith({}, '--help')
  expect(code).toBe(0)
  for (const name of ['serve', 'work', 'migrate', 'verify-log', 'user', 'password', 'email', 'plan', 'seed'])
    expect(output).toMatch(new RegExp(`^  ${name} .*[a-z]`, 'm'))
  const details = [0, expect.stringMatching(/^Usage: canvass seed .*number of responses \(default: "200"\)/s)]
  expect(await runWith({}, 'help', 'seed')).toEqual(details)
  expect(await runWith({}, 'seed', '--help')).toEqual(details)
})

test('a wrong command line exits with 2 and says what is wrong', async () => {
  expect(await runWith({}, 'sevre')).toEqual([
    2,
    'error: unknown command \'sevre\'\n(Did you mean serve?)\nRun "canvass --help" for the list of commands.\n',
  ])
  expect(await runWith({}, 'user', 'ann')).toEqual([
    2,
    expect.stringContaining("error: missing required argument 'email'"),
  ])
  expect(await runWith({}, 'migrate', '--now')).toEqual([2, expect.stringContaining("error: unknown option '--now'")])
})
