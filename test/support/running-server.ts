import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { removeEmbedded } from '../../src/db/embedded/embedded.ts'
import { Client } from './client.ts'
import { freePort, startProgram } from './process.ts'
import { temporaryFolder } from './temp-postgres.ts'

/** `canvass serve` in a separate process, with one account. */
export interface RunningServer {
  base: string
  /** A client with the credentials of the account. */
  client: Client
  dataDir: string
  /** Returns its output so far. */
  output(): string
  /** Returns the process ID of its embedded PostgreSQL. */
  postmaster(): number
  /** Returns the URL of its embedded PostgreSQL. */
  databaseUrl(): string
  /** Returns a value of `/metrics`. @param sample the name of the metric with its labels */
  metric(sample: string): Promise<number>
  stop(): Promise<void>
}

const API_KEY = 'a-key-of-more-than-thirty-two-characters'
const PASSWORD = 'a separate password'

/**
 * Starts `serve` and waits until it is ready.
 *
 * @param settings additional environment variables; without DATABASE_URL it starts an embedded PostgreSQL
 * @param main the first file of the program
 */
export async function startServer(
  settings: Record<string, string> = {},
  main = 'src/main.mjs',
): Promise<RunningServer> {
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
    main,
    'serve',
  )
  const cluster = path.join(dataDir, 'data', 'postgres')
  const line = (number: number) => readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[number - 1]
  await program.waitForOutput('Canvass is running')
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
          .find((metric) => metric.startsWith(`${sample} `))
          ?.slice(sample.length),
      )
    },
    stop: async () => {
      await program.kill('SIGTERM')
      await removeEmbedded(cluster)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
