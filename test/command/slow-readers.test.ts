import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { type Listener, listen } from '../../src/command/listen.ts'
import type { Stopper } from '../../src/command/stop.ts'
import { createLog } from '../../src/lib/log.ts'
import { freePort } from '../support/process.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Person, useWorld } from '../support/world.ts'

/** PostgreSQL would end a session whose client does not read after this time. */
const TCP_USER_TIMEOUT_MS = 1_000
const world = useWorld({
  realTime: true,
  databaseProxy: (url) => {
    const proxied = new URL(url)
    proxied.searchParams.set('options', `-c tcp_user_timeout=${TCP_USER_TIMEOUT_MS}`)
    return proxied.href.replaceAll('+', '%20')
  },
})

const READERS = 15
const RESPONSES = 20_000

const grid = {
  idname: 'single-choice-grid',
  id: 'g',
  choices: Array.from({ length: 100 }, () => ({ label: 'c' })),
  children: Array.from({ length: 200 }, (_, row) => ({ label: `Zeile ${row} 😀` })),
}

let ann: Person
let port: number
let stopper: Stopper
let path: string
let exportPath: string
let clients: Socket[] = []
const children: ChildProcess[] = []

async function start(limits: Partial<Listener>): Promise<void> {
  port = await freePort()
  const listener = { port, host: '127.0.0.1', setting: 'PORT', log: createLog('silent'), ...limits }
  stopper = await listen(listener, world.application.app.callback())
}

async function open(): Promise<Socket> {
  const client = connect(port, '127.0.0.1').pause()
  clients.push(client)
  client.on('error', () => undefined)
  await once(client, 'connect')
  return client
}

/** Sends a request and reads nothing of the reply. */
async function request(path: string, authorization?: string): Promise<Socket> {
  const client = await open()
  const credentials = authorization ? `Authorization: ${authorization}\r\n` : ''
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${credentials}\r\n`)
  return client
}

/** Reads the rest of a reply. @returns the body, as far as it arrived */
async function read(client: Socket): Promise<string> {
  const chunks: Buffer[] = []
  client.on('data', (chunk) => chunks.push(chunk)).resume()
  await new Promise((resolve) => client.once('close', resolve))
  return Buffer.concat(chunks)
    .toString()
    .replace(/^.*?\r\n\r\n/s, '')
}

/** Returns the memory of this process in bytes, without garbage. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Starts clients in another process, whose receive buffers are smaller than those of Node.js. */
async function startReaders() {
  const args = ['test/support/slow-readers.py', String(port), path, String(READERS)]
  const readers = spawn('python3', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(readers)
  const lines = createInterface({ input: readers.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => (await lines.next()).value as string
  await nextLine()
  /** Reads a reply. @returns the length of its body, and the digest of the body without keys */
  const readReply = async (index: number): Promise<[length: number, digest: string]> => {
    readers.stdin.write(`${index}\n`)
    const [length, digest] = (await nextLine()).split(' ')
    return [Number(length), digest!]
  }
  return readReply
}

const digestWithoutKeys = (page: string): string =>
  createHash('sha256')
    .update(page.replace(/[0-9a-f]{40}|name="_started" value="[^"]*"/g, ''))
    .digest('hex')

beforeAll(async () => {
  ann = await world.person()
  path = (await addSurvey(ann, { title: 'Grid', form: [pageOf(grid)] })).path
  const { id } = (await addSurvey(ann, { title: 'Long', form: [pageOf(text('t'))] })).survey
  await world.application.services.pool.query(
    `insert into response (survey_id, collector_id, key, answers, created_at, updated_at, completed)
     select $1, (select id from collector where survey_id = $1), decode(lpad(to_hex(n), 40, '0'), 'hex'),
       jsonb_build_object('t', md5(n::text) || repeat(md5(n::text), 30)), now(), now(), 1
     from generate_series(1, $2::integer) n`,
    [id, RESPONSES],
  )
  exportPath = `/api/v3/surveys/${id}/csv/`
})
afterEach(async () => {
  for (const client of clients) client.destroy()
  clients = []
  for (const child of children.splice(0)) child.kill()
  await stopper.stop(0)
})

describe('a client that does not read', () => {
  it('uses little memory for a large page, and gets the page when it reads', async () => {
    await start({})
    const page = await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    expect(page.length).toBeGreaterThan(3_000_000)
    const before = memory()
    const readReply = await startReaders()
    await waitUntil(() => (memory() - before) / READERS < 500_000, 25_000)
    expect(await readReply(0)).toEqual([Buffer.byteLength(page), digestWithoutKeys(page)])
  })

  it('loses its connection after the maximum time', async () => {
    await start({ maxStallMs: 1_000 })
    const readReply = await startReaders()
    await pause(10_000)
    for (let index = 0; index < READERS; index++) expect((await readReply(index))[0]).toBeLessThan(2_900_000)
  })

  it('gets a whole export after a pause that is longer than a page allows and PostgreSQL waits, but not after the maximum', async () => {
    await start({ maxStallMs: 1_000, maxExportStallMs: 8_000 })
    const [early, late] = [await request(exportPath, ann.authorization), await request(exportPath, ann.authorization)]
    await pause(5_000)
    expect((await read(early)).match(/\r\nComplete,/g)).toHaveLength(RESPONSES)
    await pause(6_000)
    expect((await read(late)).match(/\r\nComplete,/g)?.length).not.toBe(RESPONSES)
  })
})

describe('the connections of a network', () => {
  it('are limited; a closed connection makes room', async () => {
    await start({ connectionsPerNetwork: 2 })
    const [first] = [await open(), await open()]
    expect(await read(await request('/healthz'))).toBe('')
    first.destroy()
    await waitUntil(async () => (await read(await request('/healthz'))).includes('"ok"'), 5_000)
  })
})
