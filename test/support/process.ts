import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { World } from './world.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** A program of ours in a process of its own. */
export interface Started {
  pid: number
  /** What it printed so far. */
  output(): string
  /** Resolves when it has printed this. */
  said(text: string): Promise<void>
  /** Ends it and waits for its end; SIGKILL leaves it no time for a last word. @returns its exit code */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/** Starts a program of the project on the world's database, with the world's secret. */
export function startProcess(world: World, script: string, ...words: string[]): Started {
  const child: ChildProcess = spawn(process.execPath, [script, ...words], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: world.databaseUrl,
      SECRET_KEY: world.secretKey,
      BASE_URL: world.base,
      DATA_DIR: world.dataDir,
      SMTP_URL: world.smtpUrl,
      ALLOW_PRIVATE_TARGETS: '1',
      RATE_LIMIT: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      output += chunk
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
        child.once('exit', () => reject(new Error(`it ended without saying "${text}": ${output}`)))
        look()
      }),
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const over = once(child, 'exit')
      child.kill(signal)
      await over
      return child.exitCode
    },
  }
}
