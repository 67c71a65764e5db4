import fs from 'node:fs'
import path from 'node:path'
import { databaseAccount } from './embedded-account.ts'
import { postgresBinaries } from './embedded-binaries.ts'
import { type Cluster, locate, prepare, remove } from './embedded-cluster.ts'
import { takeLease } from './embedded-lease.ts'
import { readLock } from './embedded-lock.ts'
import { address, findServer, launchServer, stopServer } from './embedded-server.ts'

/** A PostgreSQL of our own, on 127.0.0.1. */
export interface EmbeddedDatabase {
  /** Address with password of one of its databases; `postgres`, which always exists, when none is named. */
  url(database?: string): string
  pid: number
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
}

/**
 * Starts a real PostgreSQL on the data folder, making the cluster the first time, or takes over the one
 * that runs there. It listens on a free port of 127.0.0.1 and asks for the password in `<dataDir>.password`.
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
  const lease = takeLease(`${folder}.users`)
  try {
    const password = await prepare(cluster)
    const found = await findServer(folder, password)
    const server = found ?? (await launchServer(cluster, password))
    return {
      url: (database = 'postgres') => address(server.port, password, database),
      pid: server.pid,
      port: server.port,
      adopted: found !== undefined,
      async stop() {
        if (!lease.release()) return
        if (cluster.ephemeral) await removeEmbedded(requested)
        else await stopServer(folder, server.pid, 'clean')
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
