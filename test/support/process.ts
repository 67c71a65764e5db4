import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import type { World } from './world.ts'

const root = path.resolve(import.meta.dirname, '../..')
const MAX_OUTPUT_CHARS = 2_000_000

/** A program of the project in a separate process. */
export interface RunningProgram {
  pid: number
  /** Returns its output so far, limited to the last 2,000,000 characters. */
  output(): string
  /**
   * Waits until its output contains a text.
   *
   * @throws Error if it exits without printing the text
   */
  waitForOutput(text: string): Promise<void>
  /** Sends a signal and waits until the process exits. @returns the exit code; null if the signal killed it */
  kill(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
}

/** Returns a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/**
 * Starts a program of the project.
 *
 * @param settings all environment variables except PATH; without PROCESSES, `serve` has one process
 */
export function startProgram(settings: Record<string, string>, script: string, ...args: string[]): RunningProgram {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, PROCESSES: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let output = ''
  const checks = new Set<() => void>()
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT_CHARS)
      for (const check of checks) check()
    })
  return {
    pid: child.pid!,
    output: () => output,
    waitForOutput: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!output.includes(text)) return
          checks.delete(check)
          resolve()
        }
        checks.add(check)
        const ended = () => reject(new Error(`it exited without printing "${text}": ${output}`))
        // The last output may arrive after the exit.
        child.once('exit', () => setTimeout(ended, 200))
        check()
      }),
    kill: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}

/** Returns settings with which a program uses the database and the secret key of a world. */
export const settingsOf = (world: World): Record<string, string> => ({
  DATABASE_URL: world.databaseUrl,
  SECRET_KEY: world.secretKey,
  BASE_URL: world.base,
  DATA_DIR: world.dataDir,
  SMTP_URL: world.smtpUrl,
  ALLOW_PRIVATE_TARGETS: '1',
  RATE_LIMIT: 'off',
})

/** Starts a program of the project with the database and the secret of a world. */
export const startProcess = (world: World, script: string, ...args: string[]): RunningProgram =>
  startProgram(settingsOf(world), script, ...args)
