import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import type { EntityManager } from '@mikro-orm/postgresql'
import { TestClock } from 'pg-boss'
import { type Application, createApplication } from '../../src/bootstrap.ts'
import { readConfig } from '../../src/config.ts'
import { createAccount, issueApiKey, type NewAccount } from '../../src/domain/account/commands.ts'
import type { Actor } from '../../src/domain/actor.ts'
import type { Context, PublicContext } from '../../src/domain/context.ts'
import { createLog, type Log } from '../../src/lib/log.ts'
import { createDeliveries } from '../../src/worker/deliveries.ts'
import { Client } from './client.ts'
import { freshDatabase } from './database.ts'
import { type Worked, workDueJobs } from './jobs.ts'

/** An account with its credentials, and a client that signs in with API key and password. */
export interface Person extends Client {
  actor: Actor
  password: string
  apiKey: string
  /** Runs a command of the domain as this account, in a transaction. */
  act<Result>(run: (context: Context) => Promise<Result>): Promise<Result>
}

/** The whole service on a database of its own, listening on a port of its own. */
export interface World {
  base: string
  application: Application
  /** The service's clock; tests move it. */
  now: Date
  /** Somebody without credentials. */
  nobody: Client
  /** A fresh account. */
  person(draft?: Partial<NewAccount>): Promise<Person>
  /** A fresh view of the database. */
  em(): EntityManager
  /** What a command takes that nobody in particular gives. */
  context(): PublicContext
  /** Where it keeps everything: for a second process on the same database. */
  databaseUrl: string
  secretKey: string
  /** Where its mail lands when it has no mail server. */
  dataDir: string
  /** Its mail server; empty: none. */
  smtpUrl: string
  /**
   * Does the jobs that are due at `now`, and those that they make; then delivers what webhooks wait for. Throws when a
   * job fails, unless that is expected; a delivery may fail.
   */
  workJobs(expected?: 'failures'): Promise<Worked[]>
}

export interface WorldOptions {
  /** The clock goes by itself: for tests with workers that run. Otherwise time stands still, and a test moves it. */
  realTime?: boolean
  /** No webhook may lead to this machine, as it is outside of tests. */
  guarded?: boolean
  /** Its mail server, asked for when the tests begin; absent: mail lands in `dataDir`. */
  smtp?: () => string
  /** More settings, as the environment names them; limits are off unless they say otherwise. */
  settings?: Readonly<Record<string, string>>
  /** The address by which the service itself reaches its database; absent: the database's own. */
  databaseVia?: (url: string) => string
  /** Where its log lines go; absent: nowhere, unless `LOG_LEVEL` is set. */
  log?: Log
}

/** Log lines of the service during tests: `LOG_LEVEL=info make test` shows them. */
const quiet = createLog(process.env.LOG_LEVEL ?? 'silent')

/** Call at the top of a test file: opens a world before its tests and closes it after them. */
export function useWorld({
  realTime = false,
  guarded = false,
  smtp,
  settings = {},
  log = quiet,
  databaseVia = (url) => url,
}: WorldOptions = {}): World {
  const world = { now: new Date('2026-01-15T12:00:00Z') } as World
  if (realTime) Object.defineProperty(world, 'now', { get: () => new Date() })
  const jobClock = new TestClock(world.now)
  let server: Server
  let drop: () => Promise<void>
  let count = 0

  beforeAll(async () => {
    const database = await freshDatabase({ heedsTestClock: !realTime })
    drop = database.drop
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    world.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    world.databaseUrl = database.url
    world.dataDir = await mkdtemp(join(tmpdir(), 'canvass-world-'))
    world.smtpUrl = smtp?.() ?? ''
    world.secretKey = randomBytes(32).toString('hex')
    world.application = await createApplication({
      config: readConfig({
        BASE_URL: world.base,
        SECRET_KEY: world.secretKey,
        ALLOW_PRIVATE_TARGETS: guarded ? '0' : '1',
        DATA_DIR: world.dataDir,
        SMTP_URL: world.smtpUrl,
        RATE_LIMIT: 'off',
        ...settings,
      }),
      databaseUrl: databaseVia(database.url),
      log,
      clock: () => world.now,
      strict: true,
      ...(!realTime && { jobClock }),
    })
    server.on('request', world.application.app.callback())
    world.nobody = new Client(world.base)
  })

  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await world.application.close()
    await drop()
    await rm(world.dataDir, { recursive: true })
  })

  world.context = () => ({ em: world.em(), now: world.now, services: world.application.services })
  world.workJobs = async (expected) => {
    if (realTime)
      throw new Error('In a world where time goes by itself a worker does the jobs: application.startWorker()')
    const worked = await workDueJobs(world.application.boss, jobClock, world.context)
    await createDeliveries(world.context, log).drain()
    const failed = worked.find(({ error }) => error !== undefined)
    if (failed && !expected) throw failed.error
    return worked
  }
  world.em = () => world.application.orm.em.fork()
  world.person = async (draft = {}) => {
    count += 1
    const password = draft.password ?? `secret ${count} word`
    const context = world.context()
    const account = await createAccount(context, {
      username: `person${count}`,
      email: `person${count}@example.org`,
      ...draft,
      password,
    })
    const apiKey = await issueApiKey(context, account)
    const { id, username, email, name, isDeveloper } = account
    const client = new Client(world.base).with(apiKey, password)
    const actor = { id, username, email, name, isDeveloper }
    const act: Person['act'] = (run) =>
      world.em().transactional((em) => run({ em, actor, now: world.now, services: world.application.services }))
    return Object.assign(client, { actor, password, apiKey, act })
  }
  return world
}
