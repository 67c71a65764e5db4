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
import { createOperations } from '../../src/command/operations.ts'
import { readConfig } from '../../src/config.ts'
import { issueApiKey } from '../../src/domain/account/api-keys.ts'
import { createAccount, type NewAccount } from '../../src/domain/account/commands.ts'
import type { Actor, Context, PublicContext } from '../../src/domain/context.ts'
import { createLog, type Log } from '../../src/lib/log.ts'
import { createDeliveries } from '../../src/worker/deliveries.ts'
import { Client } from './client.ts'
import { createTestDatabase } from './database.ts'
import { type JobRun, runDueJobs } from './jobs.ts'
import { assertStatementsFollowRule, recordStatements } from './record-statements.ts'

/** An account with its credentials, and a client that signs in with API key and password. */
export interface Person extends Client {
  actor: Actor
  password: string
  apiKey: string
  /** Runs a command of the domain as this account, in a transaction. */
  act<Result>(run: (context: Context) => Promise<Result>): Promise<Result>
}

/** The whole service with a separate database and port. */
export interface World {
  base: string
  application: Application
  /** The time of the service, which tests can change. */
  now: Date
  /** A client without credentials. */
  anonymous: Client
  /** Creates an account. */
  person(draft?: Partial<NewAccount>): Promise<Person>
  /** Returns a new entity manager. */
  em(): EntityManager
  /** Returns a domain context without an account. */
  context(): PublicContext
  databaseUrl: string
  secretKey: string
  /** The folder for emails if there is no mail server. */
  dataDir: string
  /** The URL of the mail server; empty for none. */
  smtpUrl: string
  /**
   * Runs the jobs that are due at `now` and the jobs that they create, then attempts the due webhook deliveries.
   *
   * @throws the error of a failed job, unless failures are expected
   */
  runJobs(expected?: 'failures'): Promise<JobRun[]>
}

export interface WorldOptions {
  /** Uses the system clock, for tests that start workers. Otherwise time changes only when a test sets it. */
  realTime?: boolean
  /** Rejects webhooks to private addresses, as in production. */
  blockPrivateTargets?: boolean
  /** Returns the URL of the mail server; by default emails are written to `dataDir`. */
  smtp?: () => string
  /** Additional environment variables. Rate limits are off by default. */
  settings?: Readonly<Record<string, string>>
  /** The host name in `BASE_URL` and `base`; 127.0.0.1 by default. */
  host?: 'localhost'
  /** The path of `BASE_URL`, such as `/feedback`. `base` and the clients have no path. */
  basePath?: string
  /** Returns the URL through which the service connects to its database. */
  databaseProxy?: (url: string) => string
  /** The log of the service. If it is not set, nothing is logged unless `LOG_LEVEL` is set. */
  log?: Log
}

/** `LOG_LEVEL=info make test` shows the log of the service. */
const defaultLog = createLog(process.env.LOG_LEVEL ?? 'silent')

/** Starts a world before the tests of a file and closes it after them. Call it at the top of a test file. */
export function useWorld({
  realTime = false,
  blockPrivateTargets = false,
  smtp,
  settings = {},
  log = defaultLog,
  host,
  basePath = '',
  databaseProxy = (url) => url,
}: WorldOptions = {}): World {
  const world = { now: new Date('2026-01-15T12:00:00Z') } as World
  if (realTime) Object.defineProperty(world, 'now', { get: () => new Date() })
  const jobClock = new TestClock(world.now)
  let server: Server
  let drop: () => Promise<void>
  let count = 0

  beforeAll(async () => {
    const database = await createTestDatabase({ usesTestClock: !realTime })
    drop = database.drop
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    world.base = `http://${host ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`
    world.databaseUrl = database.url
    world.dataDir = await mkdtemp(join(tmpdir(), 'canvass-world-'))
    world.smtpUrl = smtp?.() ?? ''
    world.secretKey = randomBytes(32).toString('hex')
    const environment = {
      BASE_URL: world.base + basePath,
      SECRET_KEY: world.secretKey,
      ALLOW_PRIVATE_TARGETS: blockPrivateTargets ? '0' : '1',
      DATA_DIR: world.dataDir,
      SMTP_URL: world.smtpUrl,
      RATE_LIMIT: 'off',
      // 0 means no limit, so that a slow machine does not reject requests.
      CONCURRENT_REQUESTS: '0',
      ...settings,
    }
    world.application = await createApplication({
      config: readConfig(environment),
      operations: createOperations({ ...environment, DATABASE_URL: database.url }),
      databaseUrl: databaseProxy(database.url),
      log,
      clock: () => world.now,
      strict: true,
      ...(!realTime && { jobClock }),
    })
    const handle = world.application.app.callback()
    server.on('request', (request, response) => recordStatements(() => handle(request, response)))
    world.anonymous = new Client(world.base)
  })

  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await world.application.close()
    await drop()
    await rm(world.dataDir, { recursive: true })
    assertStatementsFollowRule()
  })

  world.context = () => ({ em: world.em(), now: world.now, services: world.application.services })
  world.runJobs = async (expected) => {
    if (realTime) throw new Error('With realTime, a worker runs the jobs: call application.startWorker()')
    const runs = await recordStatements(() => runDueJobs(world.application.boss, jobClock, world.context))
    await recordStatements(() => createDeliveries(world.context, log).drain())
    const failed = runs.find(({ error }) => error !== undefined)
    if (failed && !expected) throw failed.error
    return runs
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
    const { id, username, email, name, isDeveloper, plan } = account
    const client = new Client(world.base).with(apiKey, password)
    const actor = { id, username, email, name, isDeveloper, plan }
    const act: Person['act'] = (run) =>
      world.em().transactional((em) => run({ em, actor, now: world.now, services: world.application.services }))
    return Object.assign(client, { actor, password, apiKey, act })
  }
  return world
}
