import fs from 'node:fs'
import path from 'node:path'
import { databaseAccount } from './embedded-account.ts'
import { postgresBinaries } from './embedded-binaries.ts'
import { type Cluster, locate, prepare, remove } from './embedded-cluster.ts'
import type { EmbeddedDatabaseError } from './embedded-error.ts'
import { acquireLease } from './embedded-lease.ts'
import { readLock } from './embedded-lock.ts'
import { address, findServer, launchServer, stopServer } from './embedded-server.ts'
import { supervise } from './embedded-supervisor.ts'

/** A PostgreSQL of our own, on 127.0.0.1. */
export interface EmbeddedDatabase {
  /** Address with password of one of its databases; `postgres`, which always exists, when none is named. */
  url(database?: string): string
  /** Changes when the server had to be started again. */
  readonly pid: number
  port: number
  /** True when the server ran already: another command uses it too, or its parent was killed. */
  adopted: boolean
  /** Lets go of the server; it stops when nobody else uses it. An ephemeral one is deleted besides. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** Fast and forgetful, for tests: nothing is synced, and `stop` deletes everything. */
  ephemeral?: boolean
  log?(line: string): void
  /** Is told when the server has stopped and could not be started again. */
  onLost?(error: EmbeddedDatabaseError): void
  /** For how long it is tried to start a server again that has stopped, in milliseconds. */
  restartLimitMs?: number
}

/** Long enough for somebody to make room on a full disk. */
const RESTART_LIMIT_MS = 300_000

/**
 * Starts a real PostgreSQL on the data folder, making the cluster the first time, or takes over the one
 * that runs there. It listens on a free port of 127.0.0.1 and asks for the password in `<dataDir>.password`. When it
 * stops by itself it is started again on the same port.
 * @throws {EmbeddedDatabaseError} that says what to do: unsupported platform, unusable folder, PostgreSQL's own complaint
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedDatabase> {
  const requested = path.resolve(dataDir)
  const account = databaseAccount(requested)
  const folder = locate(requested, account, options.log ?? (() => {}))
  const cluster: Cluster = {
    folder,
    binaries: postgresBinaries(account),
    account,
    ephemeral: options.ephemeral ?? false,
  }
  const lease = acquireLease(`${folder}.users`)
  try {
    const password = await prepare(cluster)
    const found = await findServer(folder, password)
    const server = found ?? (await launchServer(cluster, password))
    const supervisor = supervise(cluster, password, server, {
      log: options.log,
      onLost: options.onLost,
      limitMs: options.restartLimitMs ?? RESTART_LIMIT_MS,
    })
    return {
      url: (database = 'postgres') => address(server.port, password, database),
      get pid() {
        return supervisor.pid()
      },
      port: server.port,
      adopted: found !== undefined,
      async stop() {
        await supervisor.stop()
        if (!lease.release()) return
        if (cluster.ephemeral) await removeEmbedded(requested)
        else await stopServer(folder, supervisor.pid(), 'clean')
      },
    }
  } catch (error) {
    lease.release()
    throw error
  }
}

/** Stops whatever server runs on the data folder, at once, and deletes the cluster. Nothing there is no error. */
export async function removeEmbedded(dataDir: string): Promise<void> {
  if (!fs.existsSync(dataDir)) return
  const folder = fs.realpathSync(dataDir)
  const lock = readLock(folder)
  if (lock) await stopServer(folder, lock.pid, 'at once')
  remove(folder)
  fs.rmSync(dataDir, { force: true })
}
