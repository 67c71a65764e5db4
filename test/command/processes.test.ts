import { execFileSync } from 'node:child_process'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestDatabase } from '../support/database.ts'
import { freePort, type RunningProgram, startProgram } from '../support/process.ts'
import { waitUntil } from '../support/wait-until.ts'

const LIMIT_MS = 120_000
/** Clients that send requests at the same time. */
const CLIENTS = 4

/** Time in milliseconds after which a request without a reply counts as failed. */
const CUT_MS = 20_000

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(programs.map((program) => program.kill('SIGKILL')))
  await database.drop()
})
const programs: RunningProgram[] = []
function start(port: number): RunningProgram {
  const env = { DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, long enough to be one' }
  const program = startProgram(
    { ...env, PORT: String(port), PROCESSES: '2', RATE_LIMIT: 'off' },
    'src/main.mjs',
    'serve',
  )
  programs.push(program)
  return program
}

/** Requests a path on a new connection. @returns status and body @throws the error of the connection */
const request = (port: number, path: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const sent = get({ host: '127.0.0.1', port, path, agent: new Agent() }, async (reply) => {
      const body = (await reply.setEncoding('utf8').toArray()).join('')
      resolve({ status: reply.statusCode!, body })
    })
    sent.setTimeout(CUT_MS, () => sent.destroy(Object.assign(new Error('no reply'), { code: 'ETIMEDOUT' })))
    sent.once('error', reject)
  })

/** Returns the IDs of the child processes by command. */
function childrenOf(parent: number): { serve: number[]; work: number[] } {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const pids = (command: string) =>
    lines.flatMap((line) => {
      const [, pid, ppid, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return Number(ppid) === parent && args?.endsWith(`src/main.mjs ${command}`) ? [Number(pid)] : []
    })
  return { serve: pids('serve'), work: pids('work') }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Sends requests until the returned `stop` is called. `stop` returns how often each status and each error occurred. */
function sendRequests(port: number) {
  const results: Record<string, number> = {}
  let isStopped = false
  const client = async () => {
    while (!isStopped) {
      const result = await request(port, '/api/v3/surveys/').then(
        ({ status }) => String(status),
        ({ code }: NodeJS.ErrnoException) => String(code),
      )
      results[result] = (results[result] ?? 0) + 1
      await pause(20)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client))
  return {
    stop: async () => {
      isStopped = true
      await clients
      return results
    },
  }
}

describe('serve with PROCESSES=2', () => {
  let program: RunningProgram
  let port: number
  beforeAll(async () => {
    port = await freePort()
    program = start(port)
    await program.waitForOutput('Canvass is running')
  }, LIMIT_MS)

  test('reports the requests of all processes in /metrics', async () => {
    const { serve, work } = childrenOf(program.pid)
    expect([serve.length, work.length]).toEqual([2, 1])
    for (let index = 0; index < 10; index += 1) expect((await request(port, '/api/v3/surveys/')).status).toBe(401)
    const { body } = await request(port, '/metrics')
    const counts = [...body.matchAll(/^http_request_duration_seconds_count\{.*operation="listSurveys".*\} (\d+)$/gm)]
    expect(counts).toHaveLength(2)
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(10)
  })

  test(
    'reports once that the port is in use, and exits with 1',
    async () => {
      const second = start(port)
      await waitUntil(() => !isRunning(second.pid), LIMIT_MS)
      expect(await second.kill('SIGTERM')).toBe(1)
      expect(second.output().match(new RegExp(`Port ${port} is already in use`, 'g'))).toHaveLength(1)
    },
    LIMIT_MS,
  )

  test(
    'replaces killed processes while another process answers requests',
    async () => {
      const before = childrenOf(program.pid)
      const requests = sendRequests(port)
      process.kill(before.serve[0]!, 'SIGKILL')
      process.kill(before.work[0]!, 'SIGKILL')
      await waitUntil(() => program.output().match(/replaced a crashed process/g)?.length === 2, LIMIT_MS)
      const after = childrenOf(program.pid)
      expect([after.serve.length, after.work.length]).toEqual([2, 1])
      expect(after.serve).not.toContain(before.serve[0])
      expect(after.work).not.toContain(before.work[0])
      const { 401: answered, ...cut } = await requests.stop()
      expect(answered).toBeGreaterThan(0)
      // Only the requests that the killed process was answering or accepting fail.
      expect(Object.values(cut).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(CLIENTS)
      expect(program.output().match(/process crashed/g)).toHaveLength(2)
    },
    LIMIT_MS,
  )

  test(
    'replaces all processes on SIGHUP without refusing a request',
    async () => {
      const before = childrenOf(program.pid)
      const requests = sendRequests(port)
      process.kill(program.pid, 'SIGHUP')
      await program.waitForOutput('restarted all processes')
      const results = await requests.stop()
      const after = childrenOf(program.pid)
      expect(Object.keys(results)).toEqual(['401'])
      expect([after.serve.length, after.work.length]).toEqual([2, 1])
      for (const pid of [...after.serve, ...after.work]) expect([...before.serve, ...before.work]).not.toContain(pid)
    },
    LIMIT_MS,
  )

  test(
    'stops all processes on SIGTERM',
    async () => {
      const { serve, work } = childrenOf(program.pid)
      expect(await program.kill('SIGTERM')).toBe(0)
      expect([...serve, ...work].filter(isRunning)).toEqual([])
    },
    LIMIT_MS,
  )
})

test(
  'serve with PROCESSES=2 leaves no process when it is killed',
  async () => {
    const program = start(await freePort())
    await program.waitForOutput('Canvass is running')
    const { serve, work } = childrenOf(program.pid)
    await program.kill('SIGKILL')
    await waitUntil(() => ![...serve, ...work].some(isRunning), LIMIT_MS)
  },
  LIMIT_MS,
)
