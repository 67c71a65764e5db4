import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeEmbedded } from '../../src/db/embedded.ts'
import { freePort } from '../../test/support/process.ts'
import { send } from './http.ts'
import { type Program, startProgram } from './program.ts'

const admin = { username: 'ann', apiKey: randomBytes(24).toString('hex'), password: randomBytes(12).toString('hex') }

/** Everything that one fault starts, in a temporary folder of its own. */
export interface Bench {
  folder: string
  dataDir: string
  /** API key and password of the account that owns everything. */
  auth: string
  /** Starts a server on a port of its own, or again on a given one. @returns its address, once it is ready */
  serve(settings?: Record<string, string>, port?: number): Promise<{ base: string; port: number; program: Program }>
  /** Starts a worker. */
  work(settings?: Record<string, string>): Promise<Program>
  /** Runs when the bench is cleared away, last things first. */
  afterwards(clear: () => Promise<unknown>): void
}

/** Runs a fault in a temporary folder; whatever happens, its programs are ended and the folder is removed. */
export async function onBench<Result>(work: (bench: Bench) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-faults-'))
  // PostgreSQL does not run as root, and has to pass through.
  chmodSync(folder, 0o755)
  const dataDir = path.join(folder, 'data')
  const clears: (() => Promise<unknown>)[] = []
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
  const follow = (program: Program) => {
    clears.push(() => program.end('SIGKILL'))
    return program
  }
  try {
    return await work({
      folder,
      dataDir,
      auth: `${admin.apiKey}:${admin.password}`,
      async serve(settings = {}, port) {
        const own = port ?? (await freePort())
        const program = follow(await startProgram('serve', { ...env, PORT: String(own), ...settings }))
        return { base: `http://127.0.0.1:${own}`, port: own, program }
      },
      work: async (settings = {}) => follow(await startProgram('work', { ...env, ...settings })),
      afterwards: (clear) => void clears.push(clear),
    })
  } finally {
    for (const clear of clears.reverse()) await Promise.race([clear().catch(() => undefined), pause(60_000)])
    await removeEmbedded(path.join(dataDir, 'postgres'))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A survey that takes the load's responses. */
export interface Target {
  id: number
  /** Where respondents take it, without the server. */
  path: string
}

const question = (id: string) => ({ idname: 'text-response', id, title: id, children: [{}] })

/** Creates a survey with the questions that the load answers. */
export async function createTarget(base: string, auth: string): Promise<Target> {
  const json = {
    title: `Survey ${randomBytes(4).toString('hex')}`,
    form: [{ children: [question('marker'), question('note')] }],
  }
  const { status, text } = await send(`${base}/api/v2/surveys/`, { method: 'POST', auth, json })
  if (status !== 201 && status !== 200) throw new Error(`no survey: ${status} ${text}`)
  const { id, deploy_uri } = JSON.parse(text) as { id: number; deploy_uri: string }
  return { id, path: new URL(deploy_uri).pathname }
}
