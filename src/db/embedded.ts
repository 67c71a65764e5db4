import fs from 'node:fs'
import path from 'node:path'
import { databaseAccount } from './embedded-account.ts'
import { packagedVersion, packageName, postgresBinaries } from './embedded-binaries.ts'
import { type Cluster, clusterVersion, locate, prepare, remove } from './embedded-cluster.ts'
import { EmbeddedDatabaseError } from './embedded-error.ts'
import { acquireLease } from './embedded-lease.ts'
import { readLock } from './embedded-lock.ts'
import { address, findServer, launchServer, stopServer } from './embedded-server.ts'
import { supervise } from './embedded-supervisor.ts'

/** An embedded PostgreSQL on 127.0.0.1. */
export interface EmbeddedDatabase {
  /**
   * Returns the connection URL of a database, including the password; the default is `postgres`, which always exists.
   */
  url(database?: string): string
  /** The process ID; it changes after a restart. */
  readonly pid: number
  port: number
  /** Whether the server was already running: another command uses it, or the command that started it was killed. */
  adopted: boolean
  /** Stops using the server. If no other process uses the server, stops it and deletes an ephemeral cluster. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** For tests: the cluster is fast because it does not write to disk synchronously, and `stop` deletes it. */
  ephemeral?: boolean
  /**
   * Folder of the PostgreSQL version that created the cluster, to upgrade the cluster. If absent, the version of this
   * program is used.
   */
  binaries?: string
  log?(line: string): void
  /** Called if the server has stopped and cannot be restarted on the same port. */
  onLost?(error: EmbeddedDatabaseError): void
  /** Maximum duration of the attempts to restart the server, in milliseconds. */
  restartLimitMs?: number
}

/** Long enough for an operator to free space on a full disk. */
const RESTART_LIMIT_MS = 300_000

/**
 * Starts PostgreSQL on the data folder and creates the cluster the first time, or connects to the server that already
 * runs there. The server listens on a free port of 127.0.0.1 with the password in `<dataDir>.password`, and is
 * restarted on the same port after an unexpected stop.
 * @throws {EmbeddedDatabaseError} for an unsupported platform, an unusable folder, or an error of PostgreSQL
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedDatabase> {
  const requested = path.resolve(dataDir)
  const account = databaseAccount(requested)
  const folder = locate(requested, account, options.log ?? (() => {}))
  if (!options.binaries) assertVersion(folder)
  const cluster: Cluster = {
    folder,
    binaries: postgresBinaries(account, options.binaries),
    account,
    ephemeral: options.ephemeral ?? false,
  }
  const lease = acquireLease(`${folder}.users`)
  try {
    const password = await prepare(cluster)
    const running = await findServer(folder, password)
    const server = running ?? (await launchServer(cluster, password))
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
      adopted: running !== undefined,
      async stop() {
        await supervisor.stop()
        if (!lease.release()) return
        if (cluster.ephemeral) await removeEmbedded(requested)
        else await stopServer(folder, supervisor.pid(), 'fast')
      },
    }
  } catch (error) {
    lease.release()
    throw error
  }
}

/** @throws {EmbeddedDatabaseError} when another major version of PostgreSQL created the cluster */
function assertVersion(folder: string): void {
  const [created, packaged] = [clusterVersion(folder), packagedVersion()]
  if (created === undefined || created === packaged) return
  throw new EmbeddedDatabaseError(
    created > packaged
      ? `PostgreSQL ${created} created ${folder}, but this version of Canvass contains PostgreSQL ${packaged}. Start the newer version.`
      : `PostgreSQL ${created} created ${folder}, but this version of Canvass contains PostgreSQL ${packaged}. Stop all servers. Choose the newest VERSION ${created} that this command prints:
  npm view ${packageName()} versions
Then run:
  npm install --no-save --ignore-scripts --prefix /tmp/postgresql-${created} ${packageName()}@VERSION
  canvass upgrade-database --binaries /tmp/postgresql-${created}/node_modules/${packageName()}`,
  )
}

/** Stops the server on the data folder immediately and deletes the cluster, if there is one. */
export async function removeEmbedded(dataDir: string): Promise<void> {
  if (!fs.existsSync(dataDir)) return
  const folder = fs.realpathSync(dataDir)
  const lock = readLock(folder)
  if (lock) await stopServer(folder, lock.pid, 'immediate')
  remove(folder)
  fs.rmSync(dataDir, { force: true })
}
