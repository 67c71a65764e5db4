import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
/** How long a program may take to start, in milliseconds. */
const START_MS = 120_000

/** `serve` or `work` in a process of its own. */
export interface Program {
  pid: number
  /** Sends a signal and waits for the end. @returns the exit code, and how long it took in milliseconds */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; millis: number }>
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/**
 * Starts a command of the service, and resolves when it is ready.
 * @param log takes what it prints
 */
export async function startProgram(
  command: 'serve' | 'work',
  settings: Record<string, string>,
  log: string,
): Promise<Program> {
  const child = spawn(process.execPath, ['src/main.ts', command], {
    cwd: root,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', openSync(log, 'a')],
  })
  const over = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const ready = new Promise<void>((resolve, reject) => {
    let printed = ''
    child.stdout!.on('data', (chunk) => {
      if (printed.length < 10_000) printed += chunk
      if (/Canvass (answers|works)/.test(printed)) resolve()
    })
    over.then(
      ([code]) => reject(new Error(`${command} ended with ${code} before it was ready, see ${log}: ${printed}`)),
      reject,
    )
  })
  await ready.finally(() => clearTimeout(late))
  return {
    pid: child.pid!,
    async end(signal) {
      const began = performance.now()
      child.kill(signal)
      const [code] = await over
      return { code, millis: performance.now() - began }
    },
  }
}
