import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeEmbedded, startEmbedded } from '../../src/db/embedded.ts'
import { freePort } from '../../test/support/process.ts'
import { temporaryFolder } from '../../test/support/temp-postgres.ts'
import type { Image } from './build.ts'
import { startReadOnly } from './chroot.ts'

const START_LIMIT_MS = 60_000
/** Maximum time for stopping a program, and for each command, in milliseconds. */
const LIMIT_MS = 60_000

/**
 * Runs the image on a read-only root file system: the server with its health check, `canvass doctor`, a backup, and the
 * worker. Then stops the server and the worker with SIGTERM.
 * @throws Error when something does not work
 */
export async function proveImage(image: Image, report: (text: string) => void): Promise<void> {
  const [uid, gid] = image.user.split(':').map(Number)
  if (!uid) throw new Error('The user of the image must be a number other than 0: Kubernetes cannot check a name.')
  const size = execFileSync('du', ['-sm', path.join(image.folder, 'app')], { encoding: 'utf8' }).split('\t')[0]
  report(`the image has ${size} MB in /app`)
  const data = path.join(path.dirname(image.folder), 'data')
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, uid, gid ?? uid)
  // The settings are those of a real installation, because `canvass doctor` reports other settings as problems.
  const cluster = path.join(temporaryFolder(), 'pg')
  const database = await startEmbedded(cluster)
  const port = String(await freePort())
  const settings = {
    ...{
      DATABASE_URL: database.url('canvass'),
      PORT: port,
      HOST: '127.0.0.1',
      BASE_URL: `http://127.0.0.1:${port}`,
    },
    ...{ ADMIN_USERNAME: 'ann', ADMIN_EMAIL: 'ann@example.org', ADMIN_PASSWORD: 'a separate password', WORKER: 'off' },
  }
  const start = (command?: string[]) => startReadOnly(image, data, settings, command)
  try {
    if ((await finish(start(image.healthcheck))).code === 0)
      throw new Error('The health check passes without a server.')
    const server = start()
    const worker = start(['canvass', 'work'])
    try {
      await waitForOutput('the server', server, 'Canvass is running at')
      await waitForOutput('the worker', worker, 'Canvass is running background jobs')
      report('the server and the worker run on a read-only root file system')
      for (const child of [server, worker]) assertUnprivileged(programOf(child.pid!), uid)
      report(`both run as user ${uid} without capabilities`)
      await expectSuccess(start(image.healthcheck), 'the health check')
      report(`the health check passes: ${image.healthcheck.slice(0, 2).join(' ')} …`)
      report((await expectSuccess(start(['canvass', 'doctor']), 'canvass doctor')).trim().split('\n').at(-1)!)
      await expectSuccess(start(['canvass', 'backup', '/data/']), 'canvass backup')
      report('canvass doctor and canvass backup run in the container')
      for (const [name, child] of Object.entries({ 'the server': server, 'the worker': worker }))
        await stop(name, child, report)
    } finally {
      for (const child of [server, worker]) child.kill('SIGKILL')
    }
  } finally {
    await removeEmbedded(cluster)
    rmSync(path.dirname(cluster), { recursive: true })
    rmSync(data, { recursive: true, force: true })
  }
}

type Child = ReturnType<typeof startReadOnly>

async function finish(child: Child): Promise<{ code: number | null; output: string }> {
  const output = collect(child)
  const timeout = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timeout)
  return { code, output: output() }
}

async function expectSuccess(child: Child, name: string): Promise<string> {
  const { code, output } = await finish(child)
  if (code !== 0) throw new Error(`${name} exits with ${code}:\n${output}`)
  return output
}

function collect(child: Child): () => string {
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk))
  return () => output
}

async function waitForOutput(name: string, child: Child, text: string): Promise<void> {
  const output = collect(child)
  for (const deadline = performance.now() + START_LIMIT_MS; !output().includes(text); await pause(50))
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`${name} does not print "${text}":\n${output()}`)
}

/**
 * Returns the process ID of the program, the only child process of `unshare`. In its own namespace, the program has the
 * process ID 1.
 */
function programOf(unshare: number): number {
  const [child] = readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8').trim().split(' ')
  return Number(child)
}

function assertUnprivileged(pid: number, uid: number): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)![1]!
  const uids = field('Uid').split('\t').map(Number)
  const capabilities = ['CapPrm', 'CapEff', 'CapBnd'].map(field)
  if (uids.some((id) => id !== uid) || capabilities.some((set) => /[^0]/.test(set)) || field('NoNewPrivs') !== '1')
    throw new Error(`Process ${pid} has privileges: Uid ${uids}, capabilities ${capabilities}`)
}

/** Sends SIGTERM to the program. The program has the process ID 1, as in a container without an init process. */
async function stop(name: string, child: Child, report: (text: string) => void): Promise<void> {
  const start = performance.now()
  const ended = once(child, 'close')
  process.kill(programOf(child.pid!), 'SIGTERM')
  const [code] = (await Promise.race([ended, pause(LIMIT_MS, [], { ref: false })])) as (number | null)[]
  if (code === undefined) throw new Error(`${name} still runs ${LIMIT_MS / 1000} s after SIGTERM.`)
  if (code !== 0) throw new Error(`${name} exits with ${code} after SIGTERM.`)
  report(`${name} exits with 0 after SIGTERM, in ${((performance.now() - start) / 1000).toFixed(1)} s`)
}
