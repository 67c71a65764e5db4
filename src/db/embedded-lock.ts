import fs from 'node:fs'
import path from 'node:path'
import { processStart } from './embedded-lease.ts'

/** What PostgreSQL says of itself in `postmaster.pid`. */
export interface Lock {
  /** 0 while the file is still being written. */
  pid: number
  port: number
  /** It accepts connections. */
  ready: boolean
  /** Number of its shared memory (System V); undefined while it has none. */
  sharedMemory: string | undefined
}

const lockFile = (folder: string) => path.join(folder, 'postmaster.pid')

/** Line 1 is the process, 4 the port, 7 the shared memory, 8 the state (LOCK_FILE_LINE_* in PostgreSQL's pidfile.h). */
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

/** Whether the lock is of no living server; an empty one is given a moment to be written. */
export function isStale(folder: string, lock: Lock): boolean {
  if (lock.pid > 0) return !isServerProcess(lock.pid, folder)
  const written = fs.statSync(lockFile(folder), { throwIfNoEntry: false })?.mtimeMs
  return written !== undefined && Date.now() - written > 5000
}

/**
 * Whether processes still work with the memory of the server: those that it started live on for a moment when it is
 * killed, and a second server beside them would destroy the data. Where /proc does not tell, none is assumed.
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

/** Whether the process is a living PostgreSQL on this folder; where /proc does not tell, any living process passes. */
export function isServerProcess(pid: number, folder: string): boolean {
  if (pid === 0 || processStart(pid) === undefined) return false
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder)
  } catch {
    return processStart(pid) !== undefined
  }
}

/**
 * Removes the lock of a server that is no more. PostgreSQL does so itself, but not when its process number
 * belongs to another program by now (after a power cut) or to a dead process nobody reaped (in a container).
 */
export function discardLock(folder: string, lock: Lock): void {
  if (readLock(folder)?.pid === lock.pid) fs.rmSync(lockFile(folder), { force: true })
}
