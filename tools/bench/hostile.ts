import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { expensiveRequests } from './expensive-requests.ts'
import { line, median, ratio } from './figures.ts'
import { startService, temporaryDatabase } from './servers.ts'

/** The interval of requests to `/healthz`, and the duration of the measurement of an idle server, in milliseconds. */
const POLL_MS = 10
const IDLE_MS = 3000
/** The number of times that each request is sent, in sequence. */
const REPEATS = 10
/** The maximum time for which a request may block the server, in milliseconds. */
const MAX_WAIT_MS = 200
/** The maximum wait, as a multiple of the longest wait on an idle server. */
const MAX_WAIT_RATIO = 50

/** The number of clients that request a page and do not read it, and the maximum growth of memory, in megabytes. */
const STALLED_READERS = 200
const MAX_GROWTH_MB = 100
/** Time for which they are observed. */
const STALLED_SECONDS = 90
/** Time in which garbage is collected. */
const WINDOW_SECONDS = 20

/**
 * Measures how long other requests wait while the server processes the most expensive requests that a respondent or an
 * owner can send. Compares this wait with the wait on an idle server.
 */
export async function benchHostile(): Promise<void> {
  const database = await temporaryDatabase()
  const service = await startService(database.url)
  try {
    const { requests, largestPage } = await expensiveRequests(service.base)
    for (const { send } of requests) await send().then((reply) => reply.text())
    console.log(`hostile: longest wait for /healthz, requested every ${POLL_MS} ms, during expensive requests`)
    const idle = await longestWaitDuring(service.base, () => pause(IDLE_MS))
    line('no request', `${idle.toFixed(0)} ms`)
    let longest = 0
    for (const { name, send } of requests) {
      const times: number[] = []
      let size = 0
      const wait = await longestWaitDuring(service.base, async () => {
        for (let repeat = 0; repeat < REPEATS; repeat++) {
          const start = performance.now()
          size = (await (await send()).arrayBuffer()).byteLength
          times.push(performance.now() - start)
        }
      })
      longest = Math.max(longest, wait)
      const shown = `${(size / 1e6).toFixed(1)} MB in ${median(times).toFixed(0)} ms`
      line(
        name,
        `${wait.toFixed(0)} ms`,
        `${(wait / idle).toFixed(1)} × no request, ${shown}${wait > MAX_WAIT_MS ? `, goal at most ${MAX_WAIT_MS} ms: MISSED` : ''}`,
      )
    }
    await measureStalledReaders(service.base, largestPage)
    ratio('longest wait ÷ idle server', longest / idle, { atMost: MAX_WAIT_RATIO })
  } finally {
    await service.stop()
    await database.stop()
  }
}

/**
 * Returns the longest wait for `/healthz` while `run` is executed, in milliseconds. A wait begins at the time when the
 * request is due, not when it is sent.
 */
async function longestWaitDuring(base: string, run: () => Promise<unknown>): Promise<number> {
  let done = false
  const running = run().finally(() => {
    done = true
  })
  let longest = 0
  let due = performance.now()
  while (!done) {
    await fetch(`${base}/healthz`).then((reply) => reply.arrayBuffer())
    longest = Math.max(longest, performance.now() - due)
    due = Math.max(due + POLL_MS, performance.now())
    await pause(Math.max(0, due - performance.now()))
    due = Math.max(due, performance.now())
  }
  await running
  return longest
}

/** Measures by how much the memory of the server grows while clients request its largest page and do not read it. */
async function measureStalledReaders(base: string, path: string): Promise<void> {
  const before = await memoryDuring(base, WINDOW_SECONDS)
  const args = ['test/support/slow-readers.py', new URL(base).port, path, String(STALLED_READERS)]
  const readers = spawn('python3', args, { stdio: ['pipe', 'ignore', 'inherit'] })
  const growth = (await memoryDuring(base, STALLED_SECONDS)) - before
  readers.kill()
  line(
    `${STALLED_READERS} clients that do not read a page`,
    `${growth < 0 ? '' : '+'}${growth.toFixed(0)} MB`,
    `goal at most ${MAX_GROWTH_MB} MB${growth > MAX_GROWTH_MB ? ': MISSED' : ''}`,
  )
}

/**
 * Returns the largest memory of the server that is not garbage, in megabytes. Garbage is collected within
 * {@link WINDOW_SECONDS}, so this is the largest of the minimums of all such periods.
 */
async function memoryDuring(base: string, seconds: number): Promise<number> {
  const samples: number[] = []
  for (let second = 0; second < seconds; second++, await pause(1000)) {
    const metrics = await (await fetch(`${base}/metrics`)).text()
    const megabytes = (name: string) => Number(new RegExp(`^${name}.* (\\S+)$`, 'm').exec(metrics)?.[1])
    samples.push((megabytes('nodejs_heap_size_used_bytes') + megabytes('nodejs_external_memory_bytes')) / 1e6)
  }
  const starts = samples.slice(WINDOW_SECONDS - 1).map((_, start) => samples.slice(start, start + WINDOW_SECONDS))
  return Math.max(...starts.map((window) => Math.min(...window)))
}
