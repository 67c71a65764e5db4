import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'

const main = path.resolve(import.meta.dirname, '../../src/main.mjs')

/**
 * Runs a command of the program in a folder that is not the program's, as cron and systemd do, and waits until it exits.
 *
 * @param settings all environment variables except PATH
 * @returns the exit code, and standard output and error
 */
export const runCanvass = (
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...settings }
    execFile(process.execPath, [main, ...args], { cwd: tmpdir(), env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
  })
