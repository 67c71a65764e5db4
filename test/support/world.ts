import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'
import type { EntityManager } from '@mikro-orm/postgresql'
import { createAccount, issueApiKey, type NewAccount } from '../../src/domain/account/commands.ts'
import type { Actor } from '../../src/domain/context.ts'
import { createLog } from '../../src/lib/log.ts'
import { type Wired, wire } from '../../src/wire.ts'
import { Client } from './client.ts'
import { freshDatabase } from './database.ts'

/** An account with everything a test may sign in with, and a client that does so with (API key, password). */
export interface Person extends Client {
  actor: Actor
  password: string
  apiKey: string
}

/** The whole service on a database of its own, listening on a port of its own. */
export interface World {
  base: string
  wired: Wired
  /** The service's clock; tests move it. */
  now: Date
  /** Somebody without credentials. */
  nobody: Client
  /** A fresh account. */
  person(draft?: Partial<NewAccount>): Promise<Person>
  /** A fresh view of the database. */
  em(): EntityManager
}

/** Log lines of the service during tests: `LOG_LEVEL=info make test` shows them. */
const log = createLog(process.env.LOG_LEVEL ?? 'silent')

/** Call at the top of a test file: opens a world before its tests and closes it after them. */
export function useWorld(): World {
  const world = { now: new Date('2026-01-15T12:00:00Z') } as World
  let server: Server
  let drop: () => Promise<void>
  let count = 0

  beforeAll(async () => {
    const database = await freshDatabase()
    drop = database.drop
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    world.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const config = { baseUrl: world.base, secretKey: randomBytes(32), trustedProxies: 0 }
    world.wired = await wire({ config, databaseUrl: database.url, log, clock: () => world.now, strict: true })
    server.on('request', world.wired.app.callback())
    world.nobody = new Client(world.base)
  })

  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await world.wired.close()
    await drop()
  })

  world.em = () => world.wired.orm.em.fork()
  world.person = async (draft = {}) => {
    count += 1
    const password = draft.password ?? `secret ${count} word`
    const context = { em: world.em(), now: world.now, site: world.wired.site }
    const account = await createAccount(context, {
      username: `person${count}`,
      email: `person${count}@example.org`,
      ...draft,
      password,
    })
    const apiKey = await issueApiKey(context, account)
    const { id, username, email, name, isDeveloper } = account
    const client = new Client(world.base).with(apiKey, password)
    return Object.assign(client, { actor: { id, username, email, name, isDeveloper }, password, apiKey })
  }
  return world
}
