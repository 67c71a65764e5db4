// Runs the service behind the proxies that Debian has, with the configurations in deploy/proxies: only ports and
// addresses are replaced. As root, installs proxies that are missing.
// Run: node tools/run.ts tools/neighbours/proxies.ts [nginx|apache|caddy|haproxy ...]
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request as sendRequest } from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { Client } from '../../test/support/client.ts'
import { freePort, startProgram } from '../../test/support/process.ts'
import { runCanvass } from '../../test/support/run-canvass.ts'
import { startTempPostgres, temporaryFolder } from '../../test/support/temp-postgres.ts'
import { waitUntil } from '../../test/support/wait-until.ts'
import { proxies, type ReverseProxy } from './proxy-programs.ts'

const root = path.resolve(import.meta.dirname, '../..')
const [API_KEY, PASSWORD] = ['a-key-of-more-than-thirty-two-characters', 'a separate password']
const SECRET_KEY = randomBytes(32).toString('hex')
/** More than the buffers between PostgreSQL and a client hold. */
const RESPONSES = 60_000
/** PostgreSQL would end a session whose client does not read after this time; a download pauses longer. */
const TCP_USER_TIMEOUT_MS = 1_000
const PAUSE_MS = 2_000
const START_LIMIT_MS = 15_000
const UPLOAD_BYTES = 5_000_000
/** Some proxies do not compress short replies. */
const LONG_TITLE = 'long '.repeat(400)
/** Ids of questions with characters that proxies decode, remove or refuse. */
const ODD_IDS = ['a/b', 'a;b', '100%', 'a b', 'ü']

/** The service behind a proxy. */
interface Neighbour {
  proxy: ReverseProxy
  /** The address of the proxy, which is BASE_URL. */
  base: string
  owner: Client
  server: ReturnType<typeof startProgram>
  settings: Record<string, string>
}

/** The id of the survey of all proxies. */
let survey: number | undefined
let failures = 0

function installMissing(wanted: readonly ReverseProxy[]): void {
  const missing = wanted.filter(({ program }) => spawnSync('test', ['-x', program]).status !== 0)
  if (!missing.length) return
  const command = ['install', '--yes', '--no-install-recommends', ...missing.map((proxy) => proxy.package)]
  if (process.getuid?.() !== 0) {
    console.error(`Proxies are missing. On Debian: apt-get ${command.join(' ')}`)
    process.exit(1)
  }
  // RUNLEVEL: the packages do not start their services.
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' })
  execFileSync('apt-get', command, { env, stdio: 'ignore' })
}

async function tryProxy(proxy: ReverseProxy): Promise<void> {
  const version = spawnSync(proxy.program, proxy.version, { encoding: 'utf8' })
  const title = `${proxy.package} ${/\d+\.\d+\.\d+/.exec(version.stdout + version.stderr)?.[0]}`
  const [port, upstream] = [await freePort(), await freePort()]
  const base = `http://127.0.0.1:${port}`
  const folder = temporaryFolder()
  mkdirSync(path.join(folder, 'data'))
  const settings = {
    DATABASE_URL: databaseUrl.href.replaceAll('+', '%20'),
    SECRET_KEY,
    BASE_URL: base,
    PORT: String(upstream),
    DATA_DIR: path.join(folder, 'data'),
    TRUSTED_PROXIES: '1',
    STOP_DELAY_SECONDS: '1',
    LOG_LEVEL: 'error',
    ADMIN_USERNAME: 'ann',
    ADMIN_EMAIL: 'ann@example.org',
    ADMIN_PASSWORD: PASSWORD,
    ADMIN_API_KEY: API_KEY,
  }
  const server = startProgram(settings, 'src/main.mjs', 'serve')
  await server.waitForOutput('Canvass is running')
  const isReady = () =>
    fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  if (proxy.mistakes) {
    const mistaken = startProxy(proxy, folder, port, upstream, proxy.mistakes)
    await waitUntil(isReady, START_LIMIT_MS)
    const named = (await diagnose(settings)).map(({ check }) => check.replace('address.', ''))
    await stopProxy(mistaken)
    const expected = proxy.mistakes.map(([, , check]) => check)
    if (named.toSorted().join() !== expected.toSorted().join()) {
      failures += 1
      console.error(`neighbours: ${title}: canvass doctor names ${named} of the mistakes ${expected}`)
    }
  }
  const running = startProxy(proxy, folder, port, upstream)
  const neighbour = { proxy, base, owner: new Client(base).with(API_KEY, PASSWORD), server, settings }
  try {
    await waitUntil(isReady, START_LIMIT_MS)
    survey ??= await createSurvey(neighbour)
    for (const [what, check] of Object.entries(checks)) {
      const wrong = await check(neighbour).catch((error: Error) => `${error.message}\n${error.stack}`)
      if (!wrong) continue
      failures += 1
      console.error(`neighbours: ${title}: ${what}: ${wrong}`)
    }
    console.log(`neighbours: ${title}: ${Object.keys(checks).length} checks`)
  } finally {
    await server.kill('SIGKILL')
    await stopProxy(running)
  }
}

async function stopProxy(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
}

/** Starts a proxy with its configuration of deploy/proxies. */
function startProxy(
  proxy: ReverseProxy,
  folder: string,
  port: number,
  upstream: number,
  mistakes: ReverseProxy['mistakes'] = [],
): ChildProcess {
  let text = readFileSync(path.join(root, 'deploy/proxies', proxy.file), 'utf8')
  for (const [from, to] of [...proxy.replace(port, upstream), ...mistakes]) {
    if (text.split(from).length !== 2) throw new Error(`deploy/proxies/${proxy.file} must contain “${from}” once`)
    text = text.replace(from, () => to)
  }
  const file = path.join(folder, proxy.file)
  writeFileSync(file, text)
  const log = openSync(path.join(folder, 'log'), 'a')
  return spawn(proxy.program, proxy.args(file, folder, port), {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', log, log],
  })
}

async function createSurvey({ owner }: Neighbour): Promise<number> {
  const questions = ODD_IDS.map((id) => ({
    idname: 'text-response',
    id,
    title: LONG_TITLE,
    children: [{ type: 'string' }],
  }))
  const upload = { idname: 'file-upload', id: 'photo', title: 'Photo', children: [{}] }
  const form = [{ type: 'page', children: [...questions, upload] }]
  const { body } = await owner.post('/api/v3/surveys/', { json: { name: 'Neighbours' } })
  const { status, text } = await owner.put(`/api/v3/surveys/${body.id}/structure/`, {
    json: { title: 'Neighbours', form },
  })
  if (status !== 200) throw new Error(text)
  await sql.query(
    `insert into response (survey_id, collector_id, key, answers, created_at, updated_at, completed)
     select $1, (select id from collector where survey_id = $1), decode(lpad(to_hex(n), 40, '0'), 'hex'),
       jsonb_build_object('a b', md5(n::text) || repeat(md5(n::text), 30)), now(), now(), 1
     from generate_series(1, $2::integer) n`,
    [body.id, RESPONSES],
  )
  return body.id
}

/** Returns what `canvass doctor` finds wrong in how requests arrive. */
async function diagnose(settings: Record<string, string>): Promise<{ check: string; message: string }[]> {
  const { output } = await runCanvass(settings, 'doctor', '--json')
  const { findings } = JSON.parse(output) as { findings: { check: string; status: string; message: string }[] }
  return findings.filter(({ check, status }) => check.startsWith('address.') && status !== 'ok')
}

/** Each check returns what is wrong; undefined or an empty text if all is well. */
const checks: Readonly<Record<string, (neighbour: Neighbour) => Promise<string | undefined>>> = {
  'canvass doctor': async ({ settings }) =>
    (await diagnose(settings)).map(({ check, message }) => `${check}: ${message}`).join('; '),

  'a download whose reader pauses': async (neighbour) => {
    const reply = await get(neighbour, csvPath())
    await pause(PAUSE_MS)
    return wholeFile(await readAll(reply))
  },

  'a download that fails': async (neighbour) => {
    // A proxy can have received the whole file before the session ends.
    for (let attempt = 0; attempt < 5; attempt++) {
      const reply = await get(neighbour, csvPath())
      const { rowCount } = await sql.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy (%'`,
      )
      const { rows, error } = await readAll(reply)
      if (!rowCount || rows === RESPONSES) continue
      return error || !neighbour.proxy.showsBrokenReplies ? undefined : `${rows} rows without an error`
    }
    return 'no attempt failed'
  },

  'an upload': async (neighbour) => {
    const { owner } = neighbour
    const headers = { 'content-type': 'application/octet-stream' }
    const body = 'a line of text\n'.repeat(UPLOAD_BYTES / 15)
    const stored = await owner.post(`/api/v3/surveys/${survey}/files/?question=photo&name=a.txt`, { body, headers })
    if (stored.status !== 201 || stored.body.size !== body.length) return `${stored.status} ${stored.text}`
    const tooLarge = body.repeat(6)
    const refused = await owner.post(`/api/v3/surveys/${survey}/files/?question=photo`, { body: tooLarge, headers })
    return refused.body?.code === 'body_too_large' ? undefined : `too large: ${refused.status} ${refused.text}`
  },

  'conditional requests with compression': async ({ owner }) => {
    const path = `/api/v3/surveys/${survey}/structure/`
    const read = await owner.get(path)
    const etag = read.headers.get('etag') ?? ''
    if (read.headers.get('content-encoding') !== 'gzip') return 'the reply is not compressed'
    const again = await owner.get(path, { headers: { 'if-none-match': etag } })
    if (again.status !== 304) return `If-None-Match: ${etag} returns ${again.status}`
    const write = (tag: string) => owner.put(path, { json: { ...read.body }, headers: { 'if-match': tag } })
    const [lost, written] = [await write('"other"'), await write(etag)]
    return lost.status === 412 && written.status === 200 ? undefined : `If-Match: ${etag} returns ${written.status}`
  },

  'a large body': async ({ owner }) => {
    const path = `/api/v3/surveys/${survey}/structure/`
    const { body } = await owner.get(path)
    // More than the limit of nginx without a setting.
    const { status } = await owner.put(path, { json: { ...body, description: 'x'.repeat(1_500_000) } })
    await owner.put(path, { json: body })
    return status === 200 ? undefined : `${status}`
  },

  'odd addresses': async (neighbour) => {
    const wrong: string[] = []
    for (const id of ODD_IDS) {
      const address = `/api/v3/surveys/${survey}/questions/${encodeURIComponent(id)}/`
      const { status, body } = await neighbour.owner.get(address)
      if (status !== 200 || body.id !== id) wrong.push(`${address}: ${status}`)
    }
    const filtered = await readAll(await get(neighbour, `/api/v3/surveys/${survey}/responses/?_id>999999999`))
    if (!filtered.text.includes('"count":0,')) wrong.push(`>: ${filtered.text.slice(0, 200)}`)
    const part = await neighbour.owner.get(csvPath(), {
      headers: { range: 'bytes=0-9', 'accept-encoding': 'identity' },
    })
    if (part.status !== 206 || part.text.length !== 10) wrong.push(`Range: ${part.status} ${part.text.length}`)
    return wrong.join('; ')
  },

  'sign-in through a form': async ({ base }) => {
    const page = await fetch(`${base}/accounts/login/`)
    const reply = await fetch(`${base}/accounts/login/`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'ann', password: PASSWORD }),
      headers: { origin: base },
      redirect: 'manual',
    })
    const [to, cookie] = [reply.headers.get('location'), reply.headers.get('set-cookie') ?? '']
    const isRight = page.ok && to === '/account/surveys/' && cookie.includes('session=')
    return isRight ? undefined : `${reply.status} to ${to} with ${cookie}`
  },

  'a stop without an error to a client in flight': async (neighbour) => {
    const reply = await get(neighbour, csvPath())
    await pause(100)
    const agent = new Agent({ keepAlive: true })
    const submit = () => send(neighbour, 'POST', `/api/v3/surveys/${survey}/responses/`, agent)
    const submissions = Promise.all(Array.from({ length: 20 }, submit))
    await pause(5)
    const stopped = neighbour.server.kill('SIGTERM')
    const statuses = (await submissions).map(({ statusCode }) => statusCode)
    await pause(1_500)
    const wrong = wholeFile(await readAll(reply), 20)
    agent.destroy()
    const code = await stopped
    if (code !== 0) return `the service exited with ${code}`
    return wrong ?? (statuses.every((status) => status === 201) ? undefined : `submissions: ${statuses.join(' ')}`)
  },
}

const csvPath = () => `/api/v3/surveys/${survey}/csv/`

/** Sends a request with exactly this path. */
function send(
  { base, owner }: Neighbour,
  method: string,
  path: string,
  agent: Agent | false,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const headers = { authorization: owner.authorization!, 'accept-encoding': 'identity' }
    const sent = sendRequest({ hostname, port, method, path, agent, headers }, resolve)
    sent.on('error', reject).end()
  })
}

const get = (neighbour: Neighbour, path: string) => send(neighbour, 'GET', path, false)

/** Reads a reply to its end, or as far as it arrives. */
async function readAll(reply: IncomingMessage): Promise<{ text: string; rows: number; error?: Error }> {
  const chunks: Buffer[] = []
  const error = await new Promise<Error | undefined>((resolve) => {
    reply.on('data', (chunk) => chunks.push(chunk))
    reply.once('error', resolve).once('end', () => resolve(undefined))
  })
  const text = Buffer.concat(chunks).toString()
  return { text, rows: text.match(/\r\nComplete,/g)?.length ?? 0, ...(error && { error }) }
}

/** @param more the number of responses that others may have added */
const wholeFile = ({ rows, error }: { rows: number; error?: Error }, more = 0): string | undefined =>
  !error && rows >= RESPONSES && rows <= RESPONSES + more ? undefined : `${rows} rows, ${error?.message ?? 'no error'}`

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(proxies)
installMissing(names.map((name) => proxies[name]!))
const database = await startTempPostgres()
const databaseUrl = new URL(database.url)
databaseUrl.searchParams.set('options', `-c tcp_user_timeout=${TCP_USER_TIMEOUT_MS}`)
const sql = new pg.Client({ connectionString: database.url })
await sql.connect()
for (const name of names) await tryProxy(proxies[name]!)
await sql.end()
await database.stop()
if (failures > 0) process.exitCode = 1
