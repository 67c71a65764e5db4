import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { removeEmbedded } from '../../src/db/embedded.ts'
import { Client } from './client.ts'
import { freePort, startProgram } from './process.ts'
import { temporaryFolder } from './temp-postgres.ts'

/** The program `serve` in a process of its own, with one account. */
export interface Served {
  base: string
  /** Signed in. */
  client: Client
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
  const dataDir = temporaryFolder()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const program = startProgram(
    {
      PORT: String(port),
      DATA_DIR: path.join(dataDir, 'data'),
      ADMIN_USERNAME: 'ann',
      ADMIN_EMAIL: 'ann@example.org',
      ADMIN_PASSWORD: PASSWORD,
      ADMIN_API_KEY: API_KEY,
      LOG_LEVEL: 'warn',
      STOP_DELAY_SECONDS: '0',
      ...settings,
    },
    'src/main.ts',
    'serve',
  )
  const cluster = path.join(dataDir, 'data', 'postgres')
  const line = (number: number) => readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[number - 1]
  await program.said('Canvass is running')
  return {
    base,
    client: new Client(base).with(API_KEY, PASSWORD),
    dataDir,
    output: program.output,
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
      await program.end('SIGTERM')
      await removeEmbedded(cluster)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
