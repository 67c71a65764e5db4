import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeEmbedded } from '../../src/db/embedded.ts'
import { Client } from './client.ts'
import { throwawayFolder } from './throwaway.ts'

/** The program `serve` in a process of its own, with one account. */
export interface Served {
  base: string
  /** Signed in. */
  client: Client
  child: ChildProcess
  dataDir: string
  /** What it printed so far. */
  output(): string
  /** The process of its embedded PostgreSQL. */
  postmaster(): number
  /** The address of its embedded PostgreSQL. */
  databaseUrl(): string
  /** A value of `/metrics`. @param sample as it stands there, with its labels */
  metric(sample: string): Promise<number>
  stop(): Promise<void>
}

const API_KEY = 'a-key-of-more-than-thirty-two-characters'
const PASSWORD = 'a password of its own'

/**
 * Starts `serve` and waits until it answers.
 * @param settings beside those of a first start; without DATABASE_URL it has a PostgreSQL of its own
 */
export async function startServed(settings: Record<string, string> = {}): Promise<Served> {
  const dataDir = throwawayFolder()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: path.join(dataDir, 'data'),
      ADMIN_USERNAME: 'ann',
      ADMIN_EMAIL: 'ann@example.org',
      ADMIN_PASSWORD: PASSWORD,
      ADMIN_API_KEY: API_KEY,
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const cluster = path.join(dataDir, 'data', 'postgres')
  const line = (number: number) => readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[number - 1]
  while (!output.includes('Canvass answers')) {
    if (child.exitCode !== null) throw new Error(`serve ended: ${output}`)
    await pause(20)
  }
  return {
    base,
    client: new Client(base).with(API_KEY, PASSWORD),
    child,
    dataDir,
    output: () => output,
    postmaster: () => Number(line(1)),
    databaseUrl: () => `postgres://canvass:${readFileSync(`${cluster}.password`, 'utf8')}@127.0.0.1:${line(4)}/canvass`,
    metric: async (sample) => {
      const text = await (await fetch(`${base}/metrics`)).text()
      return Number(
        text
          .split('\n')
          .find((found) => found.startsWith(`${sample} `))
          ?.slice(sample.length),
      )
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await removeEmbedded(cluster)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
