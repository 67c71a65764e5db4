import { spawn } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { Semaphore, withTimeout } from 'async-mutex'
import type { SpooledFile } from './temporary-files.ts'

const TIMEOUT_MS = 60_000
const MAX_WAIT_MS = 60_000
/** Maximum number of files that wait for a scanner, for each scanner. */
const MAX_WAITING_PER_SCANNER = 20

export interface ScannerOptions {
  /**
   * A shell command that receives the content of a file on its standard input. As with `clamdscan -`, status 0 means
   * that the file is clean, and 1 that it is not.
   */
  command: string
  /** The search path of the command. It gets no other environment variable, because those of the server are secret. */
  path: string | undefined
  /** Maximum number of scanners at the same time. */
  processes: number
}

/**
 * Creates a virus scanner.
 * @returns a function that returns whether a file is clean. It throws an Error if the command fails, takes more than a
 *   minute, or has to wait too long.
 */
export function createVirusScanner(options: ScannerOptions): (file: SpooledFile) => Promise<boolean> {
  const { processes } = options
  const busy = new Error('Too many files wait for the virus scanner.')
  const semaphore = withTimeout(new Semaphore(processes), MAX_WAIT_MS, busy)
  let pending = 0
  return async (file) => {
    if (pending >= processes * (1 + MAX_WAITING_PER_SCANNER)) throw busy
    pending += 1
    try {
      return await semaphore.runExclusive(() => isClean(options, file))
    } finally {
      pending -= 1
    }
  }
}

async function isClean({ command, path }: ScannerOptions, file: SpooledFile): Promise<boolean> {
  const scanner = spawn(command, {
    shell: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: TIMEOUT_MS,
    env: path === undefined ? {} : { PATH: path },
  })
  const status = new Promise<number | null>((resolve, reject) => {
    scanner.once('error', reject)
    scanner.once('close', resolve)
  })
  // A scanner can decide before it has read the whole file. It then closes its input.
  await Promise.all([status, pipeline(file.read(), scanner.stdin).catch(() => undefined)])
  const code = await status
  if (code === 0 || code === 1) return code === 0
  throw new Error(`The virus scanner failed with ${code === null ? 'a timeout or a signal' : `status ${code}`}.`)
}
