import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeEmbedded } from '../../src/db/embedded/embedded.ts'
import { freePort } from '../../test/support/process.ts'
import { send } from './http.ts'
import { type Program, startProgram } from './program.ts'

const admin = { username: 'ann', apiKey: randomBytes(24).toString('hex'), password: randomBytes(12).toString('hex') }

/** A running server. */
export interface Server {
  base: string
  port: number
  program: Program
}

/**
 * A temporary folder for the test of one fault, and functions that start servers and workers with their data in this
 * folder.
 */
export interface Environment {
  folder: string
  dataDir: string
  /** API key and password of the administrator. */
  auth: string
  /**
   * Starts a server and waits until it is ready.
   * @param port default: a free port
   */
  serve(settings?: Record<string, string>, port?: number): Promise<Server>
  /** Starts a worker. */
  work(settings?: Record<string, string>): Promise<Program>
  /** Registers a cleanup; cleanups run in reverse order. */
  onCleanup(cleanup: () => Promise<unknown>): void
}

/**
 * Runs `work` with a temporary folder. After `work` has ended or failed, ends the programs that it started and deletes
 * the folder.
 */
export async function inEnvironment<Result>(work: (environment: Environment) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-faults-'))
  // PostgreSQL can run as another operating system user, who must be able to enter the folder.
  chmodSync(folder, 0o755)
  const dataDir = path.join(folder, 'data')
  const cleanups: (() => Promise<unknown>)[] = []
  const env = {
    DATA_DIR: dataDir,
    SECRET_KEY: randomBytes(24).toString('hex'),
    ADMIN_USERNAME: admin.username,
    ADMIN_EMAIL: 'ann@example.org',
    ADMIN_PASSWORD: admin.password,
    ADMIN_API_KEY: admin.apiKey,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    ALLOW_PRIVATE_TARGETS: '1',
  }
  const tracked = (program: Program) => {
    cleanups.push(() => program.end('SIGKILL'))
    return program
  }
  try {
    return await work({
      folder,
      dataDir,
      auth: `${admin.apiKey}:${admin.password}`,
      async serve(settings = {}, port) {
        const usedPort = port ?? (await freePort())
        const program = tracked(await startProgram('serve', { ...env, PORT: String(usedPort), ...settings }))
        return { base: `http://127.0.0.1:${usedPort}`, port: usedPort, program }
      },
      work: async (settings = {}) => tracked(await startProgram('work', { ...env, ...settings })),
      onCleanup: (cleanup) => void cleanups.push(cleanup),
    })
  } finally {
    for (const cleanup of cleanups.reverse()) await Promise.race([cleanup().catch(() => undefined), pause(60_000)])
    await removeEmbedded(path.join(dataDir, 'postgres'))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The survey to which the load submits responses. */
export interface Target {
  id: number
  /** The path of the survey page. */
  path: string
}

const question = (id: string) => ({ idname: 'text-response', id, title: id, children: [{}] })

/** Returns the structure of a survey with the questions that the clients of `startLoad` answer. */
export const structureOf = (title: string) => ({
  title,
  form: [{ children: [question('marker'), question('note')] }],
})

/** Creates a survey with the questions that the clients of `startLoad` answer. */
export async function createTarget(base: string, auth: string): Promise<Target> {
  const call = async (method: 'POST' | 'PUT', path: string, json: object) => {
    const { status, text } = await send(`${base}/api/v3/surveys/${path}`, { method, auth, json })
    if (status >= 300) throw new Error(`cannot create a survey: ${status} ${text}`)
    return JSON.parse(text)
  }
  const title = `Survey ${randomBytes(4).toString('hex')}`
  const { id, deploy_url } = await call('POST', '', { name: title })
  await call('PUT', `${id}/structure/`, structureOf(title))
  return { id, path: new URL(deploy_url).pathname }
}
