import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { line, median, printStep, ratio } from './figures.ts'
import { AUTHORIZATION, createSurvey, startService, temporaryDatabase } from './servers.ts'

/** The number of connections at which the server accepts the most submissions per second. */
const PEAK = 64
/** Twice the number of requests that a server processes at the same time (`CONCURRENT_REQUESTS`). */
const EXCESS = 2048
const DURATION_MS = 4_000
const ROUNDS = 3
/** Interval of requests to `/healthz`. */
const POLL_MS = 50
const CLIENTS = fileURLToPath(new URL('clients.ts', import.meta.url))

interface Figure {
  /** Accepted submissions per second. */
  rate: number
  rejected: number
  /** The longest wait for `/healthz` in milliseconds. */
  healthMs: number
}

/**
 * The measurements, each with the number of connections that submit responses and the number of connections that read
 * lists.
 */
const LOADS: Readonly<Record<string, { submitting: number; reading: number }>> = {
  [`${PEAK} connections`]: { submitting: PEAK, reading: 0 },
  [`${4 * PEAK} connections`]: { submitting: 4 * PEAK, reading: 0 },
  [`${EXCESS} connections`]: { submitting: EXCESS, reading: 0 },
  [`${PEAK} connections, ${3 * PEAK} read lists`]: { submitting: PEAK, reading: 3 * PEAK },
}

/** Measures the rate of accepted submissions under overload, as a share of the server's highest rate. */
export async function benchOverload(): Promise<void> {
  const database = await temporaryDatabase()
  const service = await startService(database.url)
  try {
    const question = { idname: 'text-response', id: 'what', title: 'What?', children: [{ type: 'string' }] }
    const structure = { title: 'Overload', form: [{ type: 'page', children: [question] }] }
    const { id } = await createSurvey(service.base, structure)
    const url = `${service.base}/api/v3/surveys/${id}/responses/`
    await run(url, PEAK, 'what=warm-up')
    const figures = new Map<string, Figure[]>(Object.keys(LOADS).map((name) => [name, []]))
    for (let round = 0; round < ROUNDS; round += 1) {
      printStep(`overload, round ${round + 1} of ${ROUNDS}`)
      for (const [name, { submitting, reading }] of Object.entries(LOADS)) {
        const health = longestWait(`${service.base}/healthz`)
        const readers = reading ? run(url, reading) : undefined
        const { 201: accepted = 0, 503: rejected = 0, ...others } = await run(url, submitting, 'what=A+short+answer')
        await readers
        if (Object.keys(others).length) throw new Error(`unexpected replies: ${JSON.stringify(others)}`)
        figures.get(name)!.push({ rate: (accepted * 1000) / DURATION_MS, rejected, healthMs: await health })
      }
    }
    report(figures)
  } finally {
    await service.stop()
    await database.stop()
  }
}

/** Runs clients in a separate process. @returns the number of replies by status */
async function run(url: string, clients: number, form?: string): Promise<Record<string, number>> {
  const args = [CLIENTS, url, String(clients), String(DURATION_MS), AUTHORIZATION, ...(form ? [form] : [])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

async function longestWait(url: string): Promise<number> {
  let longest = 0
  for (const end = performance.now() + DURATION_MS; performance.now() < end; await pause(POLL_MS)) {
    const start = performance.now()
    const reply = await fetch(url)
    await reply.arrayBuffer()
    if (reply.status !== 200) throw new Error(`/healthz: ${reply.status}`)
    longest = Math.max(longest, performance.now() - start)
  }
  return longest
}

function report(figures: ReadonlyMap<string, readonly Figure[]>): void {
  console.log('overload: accepted submissions; clients obey Retry-After')
  const rates = [...figures].map(([name, all]) => {
    const rate = median(all.map((figure) => figure.rate))
    const rejected = median(all.map((figure) => figure.rejected))
    const healthMs = median(all.map((figure) => figure.healthMs))
    line(name, `${rate.toFixed(0)}/s`, `${rejected} × 503, longest wait for /healthz ${healthMs.toFixed(0)} ms`)
    return rate
  })
  const [peak, four, excess, beside] = rates as [number, number, number, number]
  ratio('4 × the connections ÷ peak', four / peak, { atLeast: 0.9 })
  ratio(`${EXCESS} connections ÷ peak`, excess / peak, { atLeast: 0.8 })
  ratio('beside readers ÷ peak', beside / peak, { atLeast: 0.3 })
}
