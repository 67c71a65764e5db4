import { spawn } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import type { SpooledFile } from './spooled-file.ts'

const TIMEOUT_MS = 60_000

/**
 * Runs the virus scanner of the operator on a file. The command receives the content on its standard input. As with
 * `clamdscan -`, status 0 means that the file is clean, and 1 that it is not.
 * @returns whether the file is clean
 * @throws Error if the command fails otherwise, or takes more than a minute
 */
export async function isClean(command: string, file: SpooledFile): Promise<boolean> {
  const scanner = spawn(command, { shell: true, stdio: ['pipe', 'ignore', 'ignore'], timeout: TIMEOUT_MS })
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
