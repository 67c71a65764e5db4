import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Interval at which a process checks whether another process has finished, in milliseconds. */
const POLL_MS = 200

/**
 * Creates a file or folder, unless it exists. If several processes call this function for the same path at the same
 * time, such as two workers of Jest, one of them runs `create`, and the others wait until it has finished.
 * @param target the path that exists when `create` has succeeded
 * @param lock the path of the lock file, which exists while a process runs `create`
 * @throws the error of `create`
 */
export async function createOnce(target: string, lock: string, create: () => Promise<unknown>): Promise<void> {
  mkdirSync(path.dirname(lock), { recursive: true })
  while (!existsSync(target)) {
    if (!acquire(lock)) {
      await pause(POLL_MS)
      continue
    }
    try {
      if (!existsSync(target)) await create()
    } finally {
      rmSync(lock, { force: true })
    }
  }
}

/** Creates a lock file that contains the ID of this process. Removes the lock of a process that no longer runs. */
function acquire(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!isRunning(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** Returns whether the process of a lock runs. The lock is empty for a moment while its process writes the ID. */
function isRunning(lock: string): boolean {
  try {
    const owner = Number(readFileSync(lock, 'utf8'))
    if (owner > 0) process.kill(owner, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
