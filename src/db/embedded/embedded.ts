import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  acquireLease,
  type Cluster,
  clusterVersion,
  databaseAccount,
  EmbeddedDatabaseError,
  locate,
  packagedVersion,
  packageName,
  postgresBinaries,
  prepare,
  remove,
} from './cluster.ts'
import {
  address,
  findServer,
  isServerProcess,
  launchServer,
  readLock,
  relaunchServer,
  type Server,
  stopServer,
} from './server.ts'

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

interface EmbeddedOptions {
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

/** Interval of the checks in milliseconds. */
const CHECK_INTERVAL_MS = 250
/** Delay before the second attempt in milliseconds; it doubles with each attempt, up to the maximum. */
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** The options of a supervisor. */
interface SuperviseOptions {
  log: ((line: string) => void) | undefined
  onLost: ((error: EmbeddedDatabaseError) => void) | undefined
  /** Maximum duration of the attempts to restart a server, in milliseconds. */
  limitMs: number
}

interface Supervisor {
  /** The process ID of the running server. */
  pid(): number
  /** Stops supervising; waits for a restart in progress. */
  stop(): Promise<void>
}

/**
 * Restarts a server that has stopped unexpectedly: killed, crashed, or out of disk space. Each command that uses the
 * server supervises it by process ID, because the server may be the child of another command.
 */
function supervise(cluster: Cluster, password: string, server: Server, options: SuperviseOptions): Supervisor {
  const { log = () => {}, onLost = () => {}, limitMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let { pid } = server
  const watching = watch()

  async function watch(): Promise<void> {
    while (await wait(CHECK_INTERVAL_MS)) {
      if (isServerProcess(pid, cluster.folder)) continue
      log('PostgreSQL has stopped unexpectedly; restarting it')
      const error = await restart()
      if (error) return onLost(error)
    }
  }

  /**
   * @returns the error of the last attempt, or an error if the server now has another port; undefined if the server
   *   runs on the same port or the supervisor was stopped
   */
  async function restart(): Promise<EmbeddedDatabaseError | undefined> {
    const deadline = Date.now() + limitMs
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
      const outcome = await relaunchServer(cluster, password, server.port).catch((error: Error) => error)
      if (!(outcome instanceof Error)) {
        pid = outcome.pid
        if (outcome.port === server.port) return undefined
        return new EmbeddedDatabaseError(`PostgreSQL now listens on port ${outcome.port}. Start the program again.`)
      }
      if (Date.now() + delay > deadline) return new EmbeddedDatabaseError(outcome.message)
      if (!(await wait(delay))) return undefined
    }
  }

  /** @returns false if the supervisor was stopped in the meantime */
  function wait(milliseconds: number): Promise<boolean> {
    return pause(milliseconds, true, { signal, ref: false }).catch(() => false)
  }

  return {
    pid: () => pid,
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}
