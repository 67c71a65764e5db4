import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseError } from 'pg'
import { connectionTo, DatabaseClient } from '../../lib/postgres-client.ts'
import { type Cluster, EmbeddedDatabaseError, environment, processStart, superuser } from './cluster.ts'

/** A PostgreSQL server that accepts connections. */
export interface Server {
  pid: number
  port: number
}

const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 60_000

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'timezone=UTC',
  'log_timezone=UTC',
  'jit=off',
  // Error details contain values of rows.
  'log_error_verbosity=terse',
  'max_connections=300',
  'shared_buffers=128MB',
  'wal_compression=on',
  'max_wal_size=2GB',
]
/** An ephemeral cluster is deleted after the run, so its data need not survive a power failure. */
const ephemeralSettings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'autovacuum=off',
  'max_wal_senders=0',
  'wal_level=minimal',
]

/** Returns the `postgres://` address of a database of the server. */
export const address = (port: number, password: string, database: string) =>
  `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`

/**
 * Returns the server that already runs on the folder: started by another command or by a killed command. Waits while
 * the server starts or stops.
 * @returns undefined when no server runs
 */
export async function findServer(folder: string, password: string): Promise<Server | undefined> {
  for (const deadline = Date.now() + START_LIMIT_MS; Date.now() < deadline; await pause(20)) {
    const lock = readLock(folder)
    if (!lock) return undefined
    if (isStale(folder, lock)) {
      if (isAttached(lock)) continue
      discardLock(folder, lock)
      return undefined
    }
    if (lock.ready && (await isOurServer(lock.port, folder, password))) return lock
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL runs on ${folder} but does not respond. Stop process ${readLock(folder)?.pid}; its log is ${folder}.log.`,
  )
}

/**
 * Starts PostgreSQL in a separate process group, so that Ctrl-C does not reach PostgreSQL: this process first closes
 * its connections and then stops the server. PostgreSQL logs to a file, because a pipe would end with this process.
 */
export async function launchServer(cluster: Cluster, password: string): Promise<Server> {
  const { folder } = cluster
  if (fs.existsSync(`${folder}.log`)) fs.renameSync(`${folder}.log`, `${folder}.log.1`)
  for (let attempt = 1; ; attempt++) {
    const server = await launchOnce(cluster, await freePort())
    if (server && (await isOurServer(server.port, folder, password))) return server
    // A concurrent start was faster, or another program has taken the port meanwhile.
    const other = await findServer(folder, password)
    if (other) return other
    if (attempt === 3 || !/Address already in use/.test(lastLog(folder)))
      throw new EmbeddedDatabaseError(
        `PostgreSQL did not start on ${folder}. Fix the cause, or set DATABASE_URL. ${lastLog(folder)}`,
      )
  }
}

/**
 * Restarts PostgreSQL on the same port, so that clients can reconnect.
 * @throws {EmbeddedDatabaseError} with the error message of PostgreSQL
 */
export async function relaunchServer(cluster: Cluster, password: string, port: number): Promise<Server> {
  const { folder } = cluster
  const server = (await findServer(folder, password)) ?? (await launchOnce(cluster, port))
  if (server && (await isOurServer(server.port, folder, password))) return server
  // Another process that uses the server was faster.
  const other = await findServer(folder, password)
  if (other) return other
  throw new EmbeddedDatabaseError(
    `PostgreSQL cannot be restarted on ${folder}. Fix the cause, then start the program again. ${lastLog(folder)}`,
  )
}

async function launchOnce(cluster: Cluster, port: number): Promise<Server | undefined> {
  const { folder, binaries, account, ephemeral } = cluster
  const log = fs.openSync(`${folder}.log`, 'a', 0o600)
  const flags = [...settings, ...(ephemeral ? ephemeralSettings : [])].flatMap((setting) => ['-c', setting])
  const child = spawn(path.join(binaries, 'bin', 'postgres'), ['-D', folder, '-p', String(port), ...flags], {
    ...account,
    env: environment,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  let exited = false
  child.once('error', (error) => {
    exited = true
    fs.appendFileSync(`${folder}.log`, `${error.message}\n`)
  })
  child.once('exit', () => {
    exited = true
  })
  child.unref()
  for (const deadline = Date.now() + START_LIMIT_MS; !exited && Date.now() < deadline; await pause(10)) {
    const lock = readLock(folder)
    if (lock?.pid === child.pid && lock?.ready) return lock
  }
  if (!exited) child.kill('SIGQUIT')
  return undefined
}

/**
 * Stops PostgreSQL, and waits until its lock file is deleted or its process has ended. Waiting only for the process
 * would not be enough, because without /proc a process that is not reaped seems to run forever. A fast shutdown that
 * takes too long becomes an immediate shutdown, from which the next start recovers.
 */
export async function stopServer(folder: string, pid: number, mode: 'fast' | 'immediate'): Promise<void> {
  const hasStopped = () => readLock(folder)?.pid !== pid || !isServerProcess(pid, folder)
  const signals = mode === 'fast' ? (['SIGINT', 'SIGQUIT'] as const) : (['SIGQUIT'] as const)
  for (const signal of signals) {
    if (hasStopped()) return
    send(pid, signal)
    for (const deadline = Date.now() + STOP_LIMIT_MS; Date.now() < deadline; await pause(10)) if (hasStopped()) return
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Returns whether the server on the port accepts the password and serves this folder.
 * @throws {EmbeddedDatabaseError} when the server rejects the password
 */
async function isOurServer(port: number, folder: string, password: string): Promise<boolean> {
  const client = new DatabaseClient(
    connectionTo(address(port, password, 'postgres'), { connectionTimeoutMillis: 5000 }),
  )
  try {
    await client.connect()
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`)
    return rows[0]?.folder === folder
  } catch (error) {
    if ((error as DatabaseError).code === '28P01')
      throw new EmbeddedDatabaseError(
        `${folder}.password does not contain the password of ${folder}. Restore the file from a backup.`,
      )
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as net.AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

const lastLog = (folder: string) => fs.readFileSync(`${folder}.log`, 'utf8').slice(-2000)

/** The contents of `postmaster.pid`. */
interface Lock {
  /** 0 while the file is being written. */
  pid: number
  port: number
  /** Whether the server accepts connections. */
  ready: boolean
  /** ID of the shared memory (System V); undefined while there is none. */
  sharedMemory: string | undefined
}

const lockFile = (folder: string) => path.join(folder, 'postmaster.pid')

/**
 * Reads the lock file: line 1 is the process ID, 4 the port, 7 the shared memory, 8 the state (LOCK_FILE_LINE_* in
 * pidfile.h of PostgreSQL).
 */
export function readLock(folder: string): Lock | undefined {
  try {
    const lines = fs.readFileSync(lockFile(folder), 'utf8').split('\n')
    const [, sharedMemory] = lines[6]?.trim().split(/\s+/) ?? []
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready', sharedMemory }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Returns whether the server of the lock has stopped. Returns false for an empty file in the first seconds, because the
 * server may be about to write the file.
 */
function isStale(folder: string, lock: Lock): boolean {
  if (lock.pid > 0) return !isServerProcess(lock.pid, folder)
  const written = fs.statSync(lockFile(folder), { throwIfNoEntry: false })?.mtimeMs
  return written !== undefined && Date.now() - written > 5000
}

/**
 * Returns whether processes still use the shared memory of the server; false without /proc. The child processes of a
 * server may outlive it, and a second server next to them would corrupt the data.
 */
function isAttached({ sharedMemory }: Lock): boolean {
  try {
    const [, ...segments] = fs.readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n')
    const fields = segments.map((segment) => segment.trim().split(/\s+/))
    return fields.some(([, id, , , , , attached]) => id === sharedMemory && attached !== '0')
  } catch {
    return false
  }
}

/** Returns whether the process is a running PostgreSQL on this folder; without /proc, whether the process runs. */
export function isServerProcess(pid: number, folder: string): boolean {
  if (pid === 0 || processStart(pid) === undefined) return false
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder)
  } catch {
    return processStart(pid) !== undefined
  }
}

/**
 * Removes the lock of a server that no longer runs. PostgreSQL itself removes the lock, except when the process ID in
 * the lock now belongs to another program (after a power failure) or to a dead process that was not reaped (in a
 * container).
 */
function discardLock(folder: string, lock: Lock): void {
  if (readLock(folder)?.pid === lock.pid) fs.rmSync(lockFile(folder), { force: true })
}
