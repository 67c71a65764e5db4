import { execFile } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { clusterHome } from './postgres.ts'
import type { Options, Result } from './report.ts'
import { runUnderLoad } from './scenario.ts'

/** Maximum time until writes succeed again, in milliseconds. After this time, the service counts as down. */
const RECOVERY_LIMIT_MS = 60_000
/**
 * The size of the file system of PostgreSQL. It is large enough for a new cluster, its WAL and some megabytes of
 * responses.
 */
const SIZE = '160m'
const MEGABYTE = Buffer.alloc(1024 * 1024)

/**
 * Fills the disk of PostgreSQL under load, and then deletes the file that fills it. The disk is a small tmpfs; mounting
 * it requires root on Linux.
 */
export async function disk(options: Options): Promise<Result[]> {
  const fault = 'disk of PostgreSQL full'
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return [{ fault: `${fault} (not run: needs root on Linux)`, writes: '–', lost: 0, doubled: 0, problems: [] }]
  let home = ''
  const run = promisify(execFile)
  const setup = {
    async prepare({ folder, onCleanup }: { folder: string; onCleanup(cleanup: () => Promise<unknown>): void }) {
      home = clusterHome(folder)
      mkdirSync(home)
      await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', home])
      chmodSync(home, 0o755)
      onCleanup(() => run('umount', ['-l', home]))
    },
  }
  const result = await runUnderLoad(options, setup, async ({ load, postgres }) => {
    const ballast = path.join(home, 'ballast')
    const recoveries: number[] = []
    const times = options.short ? 1 : 3
    let restarts = 0
    while (recoveries.length < times && recoveries.at(-1) !== Number.POSITIVE_INFINITY) {
      fill(ballast)
      await pause(options.short ? 2_000 : 5_000)
      rmSync(ballast)
      // A full disk can stop PostgreSQL. In an installation, the operator or a supervisor starts it again.
      if (!(await postgres.isRunning())) {
        restarts += 1
        await postgres.restart('fast')
      }
      recoveries.push(await load.resumed(performance.now(), RECOVERY_LIMIT_MS))
      await pause(options.short ? 200 : 1_500)
    }
    return {
      fault: `${fault} ×${recoveries.length}${restarts ? ` (PostgreSQL stopped ×${restarts})` : ''}`,
      recoveries,
    }
  })
  return [result]
}

/** Writes a file until the file system has no space left. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (let size = MEGABYTE.length; size >= 4096; size /= 2)
      while (statfsSync(path.dirname(file)).bfree * 4096 >= size) writeSync(descriptor, MEGABYTE, 0, size)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(descriptor)
  }
}
