import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import type { World } from './world.ts'

const root = path.resolve(import.meta.dirname, '../..')
const MAX_OUTPUT_CHARS = 100_000

/** A program of the project in a process of its own. */
export interface Started {
  pid: number
  /** Returns what it has printed so far, cut to the last 100,000 characters. */
  output(): string
  /**
   * Waits until it has printed this text.
   * @throws Error when it ends without it
   */
  said(text: string): Promise<void>
  /** Sends a signal and waits for the end. @returns the exit code; null when the signal killed it */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
}

/** Returns a port of 127.0.0.1 that nothing listens on. */
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
 * @param settings its whole environment, apart from PATH
 */
export function startProgram(settings: Record<string, string>, script: string, ...words: string[]): Started {
  const child: ChildProcess = spawn(process.execPath, [script, ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT_CHARS)
      for (const look of waiting) look()
    })
  return {
    pid: child.pid!,
    output: () => output,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!output.includes(text)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        const ended = () => reject(new Error(`it ended without saying "${text}": ${output}`))
        // What it printed last may come after its end.
        child.once('exit', () => setTimeout(ended, 200))
        look()
      }),
    end: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}

/** Starts a program of the project on the world's database, with the world's secret. */
export const startProcess = (world: World, script: string, ...words: string[]): Started =>
  startProgram(
    {
      DATABASE_URL: world.databaseUrl,
      SECRET_KEY: world.secretKey,
      BASE_URL: world.base,
      DATA_DIR: world.dataDir,
      SMTP_URL: world.smtpUrl,
      ALLOW_PRIVATE_TARGETS: '1',
      RATE_LIMIT: 'off',
    },
    script,
    ...words,
  )
