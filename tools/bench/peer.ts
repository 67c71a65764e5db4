// Measures Canvass beside the backend of ODK Central on this machine, in the same run: submissions, lists, exports and
// memory. Clones the peer from its public repository in the version below, installs its npm packages in a temporary
// folder, and gives it a database of its own. See peer.md.
// Run: make bench-peer. PEER_SOURCE names another copy of the repository, such as a local clone.
// SIZE sets the number of submissions, ROUNDS the number of rounds.
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { Client } from 'pg'
import { line, median, printStep, ratio, wholeNumber } from './figures.ts'
import { AUTHORIZATION, admin, createSurvey, freePort, startService, temporaryDatabase } from './servers.ts'
import { ANSWERS, FORM, STRUCTURE } from './submit.ts'

const SOURCE = process.env.PEER_SOURCE ?? 'https://github.com/getodk/central-backend.git'
const VERSION = 'v2026.2.2'
const SIZE = wholeNumber('SIZE', 5_000, 100)
const ROUNDS = wholeNumber('ROUNDS', 3, 1)
const CONNECTIONS = 64
const PAGE_SIZE = 50
const LIST_SECONDS = 3
/** Time after which both servers are idle, in milliseconds. */
const IDLE_MS = 30_000
const START_LIMIT_MS = 60_000
const ATTEMPTS = 4
const RETRY_MS = 10_000

/** A running server with a survey, or a form, in each round. */
interface Contender {
  name: string
  pid: number
  headers: Record<string, string>
  stop(): Promise<void>
  /** Creates a survey without responses. */
  open(round: number): Promise<Addresses>
}

interface Addresses {
  submit: { url: string; type: string; body: string }
  list: string
  csv: string
}

interface Figures {
  submit: number[]
  list: number[]
  csv: number[]
  idle: number
  loaded: number
}

/** The twelve questions of `submit` as an XForm. */
const xform = (id: string): string => {
  const names = Object.keys(ANSWERS)
  return `<h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml" xmlns:jr="http://openrosa.org/javarosa">
    <h:head><h:title>${id}</h:title><model><instance><data id="${id}" version="1"><meta><instanceID/></meta>
    ${names.map((name) => `<${name}/>`).join('')}</data></instance>
    <bind nodeset="/data/meta/instanceID" type="string" readonly="true()" calculate="concat('uuid:', uuid())"/>
    ${names.map((name) => `<bind nodeset="/data/${name}" type="${name.startsWith('text') ? 'string' : 'int'}"/>`).join('')}
    </model></h:head><h:body>
    ${names.map((name) => `<input ref="/data/${name}"><label>${name}</label></input>`).join('')}</h:body></h:html>`
}

/** A submission; autocannon replaces the ID in each request. */
const submission = (id: string): string =>
  `<data id="${id}" version="1"><meta><instanceID>uuid:[<id>]</instanceID></meta>${Object.entries(ANSWERS)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')}</data>`

async function startPeer(): Promise<Contender> {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'peer-')), 'central-backend')
  printStep(`cloning ${VERSION} of the peer`)
  execFileSync('git', ['clone', '--quiet', '--depth', '1', '--branch', VERSION, SOURCE, folder], { stdio: 'ignore' })
  printStep('installing its npm packages')
  execFileSync('npm', ['ci', '--omit=dev', '--loglevel=error', '--no-progress'], { cwd: folder, stdio: 'ignore' })
  const { hostname: host, port, username: user, password } = new URL((await temporaryDatabase()).url)
  const database = { host, port: Number(port), user, password, database: 'peer' }
  const client = new Client({ ...database, database: 'postgres' })
  await client.connect()
  await client.query('create database peer')
  await client.end()
  const own = await freePort()
  const base = `http://127.0.0.1:${own}`
  const settings = { server: { port: own }, env: { domain: base, sysadminAccount: admin.email }, database }
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', NODE_CONFIG: JSON.stringify({ default: settings }) }
  const run = (file: string, args: string[], input = '') =>
    execFileSync(process.execPath, [`lib/bin/${file}`, ...args], { cwd: folder, env, input, stdio: 'pipe' })
  run('run-migrations.js', [])
  run('cli.js', ['-u', admin.email, 'user-create'], `${admin.password}\n`)
  run('cli.js', ['-u', admin.email, 'user-promote'])
  const child = fork('lib/bin/run-server.js', { cwd: folder, env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  await Promise.race([once(child, 'message'), pause(START_LIMIT_MS), failure(child)])
  const send = async (address: string, body: string, type: string, token?: string) => {
    const headers = { 'content-type': type, ...(token && { authorization: `Bearer ${token}` }) }
    const reply = await fetch(`${base}/v1/${address}`, { method: 'POST', headers, body })
    if (!reply.ok) throw new Error(`${address}: ${await reply.text()}`)
    return (await reply.json()) as { id: number; token: string }
  }
  const json = (value: object) => JSON.stringify(value)
  const { token } = await send('sessions', json({ email: admin.email, password: admin.password }), 'application/json')
  const project = await send('projects', json({ name: 'Bench' }), 'application/json', token)
  return {
    name: `ODK Central ${VERSION}`,
    pid: child.pid!,
    headers: { authorization: `Bearer ${token}` },
    stop: async () => {
      child.kill('SIGKILL')
    },
    async open(round) {
      const id = `bench${round}`
      await send(`projects/${project.id}/forms?publish=true`, xform(id), 'application/xml', token)
      const form = `${base}/v1/projects/${project.id}/forms/${id}`
      return {
        submit: { url: `${form}/submissions`, type: 'application/xml', body: submission(id) },
        list: `${form}.svc/Submissions?$top=${PAGE_SIZE}&$count=true`,
        csv: `${form}/submissions.csv`,
      }
    },
  }
}

async function failure(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('The peer ended. Its requirements are in the README of its repository.')
}

async function startOurs(): Promise<Contender> {
  const { base, pid, stop } = await startService((await temporaryDatabase()).url)
  return {
    name: 'Canvass',
    pid,
    headers: { authorization: AUTHORIZATION },
    stop,
    async open() {
      const { id } = await createSurvey(base, STRUCTURE)
      const survey = `${base}/api/v3/surveys/${id}`
      return {
        submit: { url: `${survey}/responses/`, type: 'application/x-www-form-urlencoded', body: FORM },
        list: `${survey}/responses/?page_size=${PAGE_SIZE}`,
        csv: `${survey}/csv/`,
      }
    },
  }
}

/** Submits SIZE responses to a new survey, reads pages of them, and exports them. Adds the figures. */
async function measure({ headers, pid, open }: Contender, round: number, figures: Figures): Promise<void> {
  const { submit, list, csv } = await open(round)
  const start = performance.now()
  let last = start
  await load(submit.url, {
    amount: SIZE,
    method: 'POST',
    // Writing IDs takes the load generator more time than Canvass needs for a submission.
    idReplacement: submit.body.includes('[<id>]'),
    headers: { ...headers, 'content-type': submit.type },
    body: submit.body,
    setupClient: (client) =>
      client.on('response', () => {
        last = performance.now()
      }),
  })
  // The load generator notices its end only at the next full second.
  figures.submit.push((SIZE * 1000) / (last - start))
  figures.loaded = Math.max(figures.loaded, residentMegabytes(pid))
  const read = await load(list, { duration: LIST_SECONDS, headers })
  figures.list.push(read.requests.total / read.duration)
  figures.csv.push((SIZE * 1000) / (await exportMilliseconds(csv, headers)))
}

/**
 * Returns how long an export takes. Tries again after an error reply: the peer can still be busy with the pages whose
 * readers have gone.
 */
async function exportMilliseconds(csv: string, headers: Record<string, string>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const start = performance.now()
    const reply = await fetch(csv, { headers })
    const lines = (await reply.text()).trim().split('\n').length
    if (lines === SIZE + 1) return performance.now() - start
    const error = `${csv}: ${reply.status}, ${lines} lines instead of ${SIZE + 1}`
    if (attempt === ATTEMPTS) throw new Error(error)
    printStep(`${error}; again in ${RETRY_MS / 1000} s`)
    await pause(RETRY_MS)
  }
}

async function load(url: string, options: Partial<Parameters<typeof autocannon>[0]>) {
  const result = await autocannon({ url, connections: CONNECTIONS, ...options })
  if (result.non2xx || result.errors)
    throw new Error(`${result.non2xx} error replies and ${result.errors} connection errors from ${url}`)
  return result
}

/** Returns the resident memory of a process without PostgreSQL; NaN where there is no /proc. */
function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000
  } catch {
    return Number.NaN
  }
}

const contenders = [await startOurs(), await startPeer()]
const all = contenders.map((): Figures => ({ submit: [], list: [], csv: [], idle: 0, loaded: 0 }))
printStep(`waiting until both are idle (${IDLE_MS / 1000} seconds)`)
await pause(IDLE_MS)
for (const [index, { pid }] of contenders.entries()) all[index]!.idle = residentMegabytes(pid)
for (let round = 0; round <= ROUNDS; round += 1)
  for (const index of round % 2 ? [1, 0] : [0, 1]) {
    printStep(`${round ? `round ${round} of ${ROUNDS}` : 'warming up'}: ${contenders[index]!.name}`)
    // The first round warms up, and only its memory counts.
    const { submit, list, csv } = all[index]!
    await measure(contenders[index]!, round, all[index]!)
    if (!round) for (const figures of [submit, list, csv]) figures.pop()
  }
const [ours, peer] = all as [Figures, Figures]
console.log(`${contenders[0]!.name} beside ${contenders[1]!.name}: ${SIZE} submissions of 12 answers, one process each`)
const lines = [
  ['submissions, 64 connections', 'submit', '/s', 20],
  [`pages of ${PAGE_SIZE}, 64 connections`, 'list', '/s', 20],
  ['rows of CSV', 'csv', '/s', 3],
] as const
for (const [label, key, unit, atLeast] of lines) {
  const [mine, theirs] = [median(ours[key]), median(peer[key])]
  line(label, `${Math.round(mine)}${unit}`, `peer ${Math.round(theirs)}${unit}`)
  ratio('  ours ÷ peer', mine / theirs, { atLeast })
}
for (const key of ['idle', 'loaded'] as const) {
  line(`memory, ${key}`, `${Math.round(ours[key])} MB`, `peer ${Math.round(peer[key])} MB`)
  ratio('  ours ÷ peer', ours[key] / peer[key], { atMost: 0.5 })
}
for (const { stop } of contenders) await stop()
process.exit()
