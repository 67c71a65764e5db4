import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../test/support/process.ts'
import { send } from './http.ts'
import { query, startPostgres } from './postgres.ts'
import { limitMs, type Options, type Result } from './report.ts'
import { createTarget, inEnvironment } from './service.ts'
import { type Subscribers, startSubscribers } from './subscribers.ts'

/**
 * Maximum time until every live subscriber has received every event, in milliseconds. After that, missing events count
 * as lost.
 */
const DELIVERY_LIMIT_MS = 120_000
/** Time between two bursts of events, in milliseconds. It is long enough for the first retries to become due. */
const REST_MS = 8_000
/**
 * The maximum number of attempts at one message while this fault lasts: immediately, after 5 seconds and after a
 * minute.
 */
const MAX_TRIES = 3
/**
 * The maximum number of sockets of a worker: 640 concurrent attempts, connections kept for reuse, and connections to
 * PostgreSQL.
 */
const MAX_SOCKETS = 1_800
const MAX_GROWTH_BYTES = 300 * 1024 * 1024

/**
 * Delivers bursts of events to 1,000 subscribers (90 in the short form). One third of them refuse connections, never
 * reply, or reply with 500.
 */
export const webhooks = (options: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const { auth, folder, serve, work, onCleanup } = environment
    const [count, events] = options.short ? [90, 2] : [1_000, 4]
    const postgres = await startPostgres(folder)
    onCleanup(postgres.stop)
    const settings = { DATABASE_URL: postgres.url }
    const { base } = await serve({ ...settings, WORKER: 'off' })
    const { id } = await createTarget(base, auth)
    const subscribers = await startSubscribers(await freePort())
    onCleanup(subscribers.close)
    await subscribe(base, auth, subscribers.urls(count))
    const worker = await work(settings)
    const usage = watchProcess(worker.pid)
    const delays: number[] = []
    let stored = 0
    for (let burst = 0; burst < 2; burst += 1) {
      if (burst > 0) await pause(REST_MS)
      const responses = await Promise.all(Array.from({ length: events }, (_, index) => submit(base, auth, id, index)))
      stored += responses.length
      delays.push(await lastDelivery(subscribers, responses, subscribers.live(count)))
    }
    const { sockets, growthBytes } = usage.stop()
    const problems = await problemsOf(postgres.url, subscribers)
    if (sockets > MAX_SOCKETS) problems.push(`the worker opened ${sockets} sockets`)
    if (growthBytes > MAX_GROWTH_BYTES) problems.push(`the worker grew by ${megabytes(growthBytes)}`)
    const recoveryMs = Math.max(...delays)
    if (recoveryMs > limitMs(options)) problems.push('a live subscriber waited too long')
    const live = subscribers.live(count)
    return [
      {
        fault: `webhooks: a third of ${count} subscribers dead (≤ ${sockets} sockets, +${megabytes(growthBytes)})`,
        writes: `${stored * live} deliveries to live subscribers`,
        lost: stored * live - subscribers.messages(),
        doubled: subscribers.doubled(),
        recoveryMs,
        problems,
      },
    ]
  })

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

/** Creates webhooks that send the completed responses of an account to addresses. */
export async function subscribe(base: string, auth: string, urls: readonly string[]): Promise<void> {
  const queue = [...urls]
  const client = async () => {
    for (let url = queue.pop(); url; url = queue.pop()) {
      const json = { subscription_url: url, event: 'response_complete' }
      const { status, text } = await send(`${base}/api/v3/webhooks/`, { method: 'POST', auth, json })
      if (status !== 201) throw new Error(`subscribe: ${status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
}

/** An acknowledged response. */
export interface Submitted {
  id: string
  /** When the response was acknowledged. */
  at: number
}

/** Submits a complete response. */
export async function submit(base: string, auth: string, survey: number, index: number): Promise<Submitted> {
  const form = { marker: `event ${index}`, _completed: '1' }
  const reply = await send(`${base}/api/v3/surveys/${survey}/responses/`, { method: 'POST', auth, form })
  if (reply.status !== 201) throw new Error(`submit: ${reply.status} ${reply.text}`)
  return { id: String(JSON.parse(reply.text).id), at: performance.now() }
}

/** Waits until every live subscriber has received every event. @returns the longest delay in milliseconds */
async function lastDelivery(subscribers: Subscribers, responses: readonly Submitted[], live: number): Promise<number> {
  const deadline = performance.now() + DELIVERY_LIMIT_MS
  const isComplete = () => responses.every(({ id }) => subscribers.arrivals(id).length >= live)
  while (!isComplete() && performance.now() < deadline) await pause(20)
  return Math.max(...responses.flatMap(({ id, at }) => subscribers.arrivals(id).map((arrival) => arrival - at)))
}

/**
 * Checks that messages to dead subscribers are repeated only after a delay, and that a hanging subscriber has few
 * connections.
 */
async function problemsOf(url: string, subscribers: Subscribers): Promise<string[]> {
  const [row] = await query<{ tries: number; early: number }>(
    url,
    `select max(tries)::int as tries, count(*) filter (
       where next_attempt_at < (attempts->-1->>'at')::timestamptz + interval '4 seconds')::int as early
     from webhook_delivery where delivered_at is null and tries > 0`,
  )
  const problems: string[] = []
  if (!row?.tries) problems.push('no delivery has failed')
  else if (row.tries > MAX_TRIES) problems.push(`${row.tries} attempts at one message`)
  if (row?.early) problems.push(`${row.early} messages do not back off`)
  if (subscribers.mostAtOnce() > 8) problems.push(`${subscribers.mostAtOnce()} connections to one hanging subscriber`)
  return problems
}

/** Watches the sockets and the memory of a process (Linux only). */
function watchProcess(pid: number): { stop(): { sockets: number; growthBytes: number } } {
  const read = <Value>(value: () => Value, otherwise: Value): Value => {
    try {
      return value()
    } catch {
      return otherwise
    }
  }
  const memory = () => read(() => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096, 0)
  const before = memory()
  let sockets = 0
  let most = before
  const timer = setInterval(() => {
    sockets = Math.max(
      sockets,
      read(() => readdirSync(`/proc/${pid}/fd`).length, 0),
    )
    most = Math.max(most, memory())
  }, 100)
  return {
    stop() {
      clearInterval(timer)
      return { sockets, growthBytes: most - before }
    },
  }
}
