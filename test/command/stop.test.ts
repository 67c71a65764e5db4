import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase } from '../support/database.ts'
import { freePort, startProgram } from '../support/process.ts'
import { waitUntil } from '../support/wait-until.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
const cleanups: (() => unknown)[] = []
afterEach(() => {
  for (const cleanUp of cleanups.splice(0)) cleanUp()
})

/** Starts `serve` and waits until it is ready. `stop` returns the exit code and the time to stop, in milliseconds. */
async function startServer(settings: Record<string, string> = {}) {
  const port = await freePort()
  const env = { DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, long enough to be one', LOG_LEVEL: 'silent' }
  const server = startProgram({ ...env, PORT: String(port), ...settings }, 'src/main.mjs', 'serve')
  cleanups.push(() => server.kill('SIGKILL'))
  await server.waitForOutput('Canvass is running')
  return {
    port,
    pid: server.pid,
    async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM') {
      const start = performance.now()
      const code = await server.kill(signal)
      return { code, ms: performance.now() - start }
    },
  }
}

interface Reply {
  status: number | undefined
  connection: string | undefined
}

/** Sends a GET request. @throws the error of the connection */
const get = (port: number, route: string, agent: Agent | false = false): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: route, agent }, (reply: IncomingMessage) => {
      reply.resume().once('end', () => resolve({ status: reply.statusCode, connection: reply.headers.connection }))
    })
    sent.once('error', reject).end()
  })

const keepAliveAgent = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  cleanups.push(() => agent.destroy())
  return agent
}

describe('serve after SIGTERM', () => {
  test('makes /readyz fail, and serves requests for STOP_DELAY_SECONDS with Connection: close', async () => {
    const { port, stop } = await startServer({ STOP_DELAY_SECONDS: '3' })
    const idle = connect(port, '127.0.0.1')
    await once(idle, 'connect')
    const agent = keepAliveAgent()
    expect(await get(port, '/readyz', agent)).toEqual({ status: 200, connection: 'keep-alive' })
    const stopped = stop()
    for (const deadline = Date.now() + 2_000; (await get(port, '/readyz')).status === 200; await pause(20))
      expect(Date.now()).toBeLessThan(deadline)
    expect(await get(port, '/healthz', agent)).toEqual({ status: 200, connection: 'close' })
    expect(await get(port, '/readyz', keepAliveAgent())).toEqual({ status: 503, connection: 'close' })
    const { code, ms } = await stopped
    expect(code).toBe(0)
    expect(ms).toBeGreaterThan(2_900)
    expect(ms).toBeLessThan(15_000)
    if (!idle.closed) await once(idle, 'close')
    await expect(get(port, '/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  }, 60_000)

  test('serves requests for one second by default', async () => {
    const { port, stop } = await startServer()
    await get(port, '/healthz')
    const stopped = stop()
    await pause(500)
    expect(await get(port, '/readyz')).toEqual({ status: 503, connection: 'close' })
    const { code, ms } = await stopped
    expect(code).toBe(0)
    expect(ms).toBeGreaterThan(1_000)
  }, 60_000)

  test('completes a request whose body is still being sent', async () => {
    const { port, stop } = await startServer({ STOP_DELAY_SECONDS: '0' })
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      reply += chunk
    })
    const head = 'POST /accounts/oauth/token/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 21\r\n'
    socket.write(`${head}Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant_type`)
    await pause(200)
    const stopped = stop()
    await pause(2_000)
    socket.write('=anything_x')
    await once(socket, 'close')
    expect(reply).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nConnection: close\r\n/i)
    expect((await stopped).code).toBe(0)
  }, 60_000)

  test('serves the connections that wait in the backlog when the delay ends', async () => {
    const { port, pid, stop } = await startServer()
    await get(port, '/healthz')
    const stopped = stop()
    await pause(200)
    process.kill(pid, 'SIGSTOP')
    const replies = Array.from({ length: 40 }, () => get(port, '/healthz'))
    await pause(1_500)
    process.kill(pid, 'SIGCONT')
    expect(await Promise.all(replies)).toEqual(Array(40).fill({ status: 200, connection: 'close' }))
    expect((await stopped).code).toBe(0)
  }, 60_000)

  test('completes the requests of keep-alive clients and stops within seconds', async () => {
    const { port, stop } = await startServer({ STOP_DELAY_SECONDS: '3' })
    let replies = 0
    // Like a load balancer, a client opens no connection to a server that is stopping.
    const client = async () => {
      for (const agent = keepAliveAgent(); ; await pause(Math.random() * 100)) {
        const { status, connection } = await get(port, '/healthz', agent)
        expect(status).toBe(200)
        replies += 1
        if (connection === 'close') return
      }
    }
    const clients = Promise.all(Array.from({ length: 50 }, client))
    await pause(500)
    const [{ code, ms }] = await Promise.all([stop(), clients])
    expect(replies).toBeGreaterThan(100)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(15_000)
  }, 60_000)
})

test('a process that exits during a reply resets the connection, so that no HTTP/1.0 client takes the part for the whole', async () => {
  const server = startProgram({}, 'test/support/exits-halfway.ts')
  await server.waitForOutput('port ')
  const client = connect(Number(/port (\d+)/.exec(server.output())![1]), '127.0.0.1')
  client.write('GET / HTTP/1.0\r\n\r\n')
  await expect(client.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('serve stops immediately after SIGINT, regardless of STOP_DELAY_SECONDS', async () => {
  const { port, stop } = await startServer({ STOP_DELAY_SECONDS: '60' })
  await get(port, '/healthz')
  const { code, ms } = await stop('SIGINT')
  expect(code).toBe(0)
  expect(ms).toBeLessThan(15_000)
}, 60_000)

describe('a signal while a server waits for another one that migrates the database', () => {
  test.each([
    ['serve', 'SIGTERM'],
    ['serve', 'SIGINT'],
    ['work', 'SIGTERM'],
  ] as const)('ends %s after %s', async (command, signal) => {
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query(`select pg_advisory_lock(hashtext('canvass-migrate'))`)
    const env = { DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, long enough to be one', PORT: '0' }
    const program = startProgram(env, 'src/main.mjs', command)
    cleanups.push(() => program.kill('SIGKILL'))
    await program.waitForOutput('Another server is migrating the database')
    expect(await program.kill(signal)).toBe(0)
    // PostgreSQL no longer runs the statement that waited.
    await waitUntil(async () => {
      const { rows } = await holder.query(`select from pg_locks where locktype = 'advisory' and not granted`)
      return rows.length === 0
    }, 10_000)
    await holder.end()
  })
})
