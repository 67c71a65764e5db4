import { type ChildProcess, fork } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { buildServer } from '../../scripts/server.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { createDistributedDatabase } from '../../test/support/citus.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Starts a database with production settings for durability in a temporary folder, which `stop` deletes. If CITUS_URL
 * is set, creates a distributed database in the Citus cluster at that URL instead.
 */
export async function temporaryDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  if (process.env.CITUS_URL) {
    const { url, drop } = await createDistributedDatabase(process.env.CITUS_URL)
    return { url, stop: drop }
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-bench-'))
  chmodSync(folder, 0o755)
  const cluster = await startEmbedded(path.join(folder, 'pg'))
  const client = new Client({ connectionString: cluster.url() })
  await client.connect()
  await client.query('create database bench')
  await client.end()
  return {
    url: cluster.url('bench'),
    async stop() {
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A server in a separate process. */
export interface Running {
  base: string
  pid: number
  stop(): Promise<void>
}

function running(child: ChildProcess, base: string): Running {
  const exited = new Promise<void>((resolve) =>
    child.once('exit', (_, signal) => {
      if (signal === 'SIGKILL')
        console.error(
          'A server was killed. The machine probably has too little memory: free some, or use a smaller SIZE.',
        )
      resolve()
    }),
  )
  return {
    base,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** The options of Node.js with which `make run` starts the service. */
export const RUN_OPTIONS = ['--max-semi-space-size=32']

let built: Promise<unknown> | undefined
/** Bundles the service once, as users run it. */
export const bundled = () => (built ??= buildServer())

/** The credentials of the account of the service. */
export const admin = {
  username: 'bench',
  email: 'bench@example.org',
  password: 'bench password',
  apiKey: 'bench-api-key-0123456789-0123456789',
}

/** Basic credentials with the API key as username. */
export const AUTHORIZATION = `Basic ${Buffer.from(`${admin.apiKey}:${admin.password}`).toString('base64')}`

/**
 * Creates a survey through the API.
 * @returns its ID and the path of its page for respondents
 */
export async function createSurvey(
  base: string,
  structure: { title: string; form: object },
): Promise<{ id: number; path: string }> {
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json' }
    const reply = await fetch(`${base}/api/v3/surveys/${path}`, { method, headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(await reply.text())
    return reply.json()
  }
  const { id, deploy_url } = (await send('POST', '', { name: structure.title })) as { id: number; deploy_url: string }
  await send('PUT', `${id}/structure/`, structure)
  return { id, path: new URL(deploy_url).pathname }
}

/**
 * Starts the service, by default with one process, and waits until all its processes are ready.
 * @param databaseUrl by default, an embedded database in the data folder
 * @param dataDir the data folder, which is not deleted; by default, a temporary folder that is deleted
 * @param settings additional environment variables
 * @param main the first file of the program; by default, that of the bundle
 */
export async function startService(
  databaseUrl?: string,
  dataDir?: string,
  settings: Record<string, string> = {},
  main = 'build/server/main.mjs',
): Promise<Running> {
  await bundled()
  const port = await freePort()
  const folder = dataDir ?? mkdtempSync(path.join(tmpdir(), 'canvass-bench-data-'))
  const child = fork(path.join(root, main), ['serve'], {
    execArgv: RUN_OPTIONS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      DATA_DIR: folder,
      // Several starts use one database.
      SECRET_KEY: 'the secret key of the servers of the bench',
      RATE_LIMIT: 'off',
      PROCESSES: '1',
      ADMIN_USERNAME: admin.username,
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      ADMIN_API_KEY: admin.apiKey,
      ...settings,
      ...(process.env.BENCH_NODE_OPTIONS && { NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS }),
    },
  })
  const base = `http://127.0.0.1:${port}`
  const { pid, stop } = running(child, base)
  const deadline = Date.now() + 60_000
  while (!(await isReady(base, Number(settings.PROCESSES ?? 1)))) {
    if (child.exitCode !== null || child.signalCode || Date.now() > deadline)
      throw new Error(
        `The service did not start on port ${port}. Its error is above. If another program has taken the port, run the command again.`,
      )
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    base,
    pid,
    async stop() {
      await stop()
      if (!dataDir) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns whether all processes are ready. Several processes are ready when `/metrics` lists each of them and the
 * process for background jobs.
 */
async function isReady(base: string, processes: number): Promise<boolean> {
  try {
    if (!(await fetch(`${base}/readyz`)).ok) return false
    if (processes === 1) return true
    const text = await (await fetch(`${base}/metrics`)).text()
    return new Set([...text.matchAll(/process="(\d+)"/g)].map(([, id]) => id)).size > processes
  } catch {
    return false
  }
}

/** Starts a server of rivals.ts. */
export async function startRival(kind: string, databaseUrl: string, surveyId: number): Promise<Running> {
  const child = fork(path.join(root, 'tools/bench/rivals.ts'), [kind, databaseUrl, String(surveyId)])
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('exit', (code) => reject(new Error(`The rival ${kind} ended with ${code}.`)))
  })
  return running(child, `http://127.0.0.1:${port}/`)
}

/** Returns a figure that a service publishes in `/metrics`. */
export async function metric(base: string, name: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}
