import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** The claim of one process to use a running cluster. */
export interface Lease {
  /**
   * Releases the claim.
   * @returns true if no other running process has a claim, so that the server can be stopped
   */
  release(): boolean
}

/**
 * Acquires a lease. `serve`, `work` and `migrate` can share one embedded server, and the last of these processes stops
 * it. A lease is a file that is named after its process. The lease of a process that was killed is ignored.
 */
export function acquireLease(folder: string): Lease {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = path.join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`)
  fs.writeFileSync(own, processStart(process.pid) ?? '', { mode: 0o600 })
  return {
    release() {
      fs.rmSync(own, { force: true })
      if (!fs.existsSync(folder)) return true
      return fs.readdirSync(folder).every((name) => isExpired(path.join(folder, name)))
    },
  }
}

function isExpired(file: string): boolean {
  try {
    const started = processStart(Number.parseInt(path.basename(file), 10))
    if (started !== undefined && started === fs.readFileSync(file, 'utf8')) return false
    fs.rmSync(file, { force: true })
    return true
  } catch {
    return true
  }
}

/**
 * Returns the start time of a running process, with which a reused process ID is detected: clock ticks since boot
 * (proc(5), `starttime`) on Linux, an empty string on other systems.
 * @returns undefined if there is no such process
 */
export function processStart(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return ''
  }
}
