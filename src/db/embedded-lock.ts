import fs from 'node:fs'
import path from 'node:path'
import { processStart } from './embedded-lease.ts'

/** The contents of `postmaster.pid`. */
export interface Lock {
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
export function isStale(folder: string, lock: Lock): boolean {
  if (lock.pid > 0) return !isServerProcess(lock.pid, folder)
  const written = fs.statSync(lockFile(folder), { throwIfNoEntry: false })?.mtimeMs
  return written !== undefined && Date.now() - written > 5000
}

/**
 * Returns whether processes still use the shared memory of the server; false without /proc. The child processes of a
 * server may outlive it, and a second server next to them would corrupt the data.
 */
export function isAttached({ sharedMemory }: Lock): boolean {
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
export function discardLock(folder: string, lock: Lock): void {
  if (readLock(folder)?.pid === lock.pid) fs.rmSync(lockFile(folder), { force: true })
}
