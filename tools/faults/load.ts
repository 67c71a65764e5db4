import type { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/random.ts'
import { ConnectionError, createPersistentAgent, type Reply, type RequestOptions, send } from './http.ts'
import type { Target } from './service.ts'

/** A response as its client expects it to be stored. Each response has a unique marker. */
export interface WrittenResponse {
  marker: string
  /** Set once the API has acknowledged the response. */
  id?: number
  acknowledged: boolean
  /** The note of the last acknowledged edit. `unknownNotes` contains the notes of edits whose result is unknown. */
  note?: string
  unknownNotes: Set<string>
  deleted?: 'acknowledged' | 'unknown'
}

/** Clients that write continuously. */
export interface Load {
  written: Map<string, WrittenResponse>
  /** When each write was acknowledged, in milliseconds of `performance.now()`. */
  acknowledgements: number[]
  /** The number of writes whose result is unknown, because of a server error or a failed connection. */
  unknown: number
  /**
   * The number of writes that an overloaded server rejected. If `allowsRejections` is set, writes that a closed survey
   * rejected are included.
   */
  rejected: number
  /** The number of requests, without requests whose connection was refused. */
  requests: number
  /** The requests whose connection failed. */
  cut: string[]
  /** Replies with an unexpected status. */
  unexpected: string[]
  /**
   * Waits until writes are acknowledged again.
   * @param from time of the fault
   * @param to time from which the service could recover
   * @returns the longest time between two acknowledged writes around the fault, in milliseconds; infinite after
   *   `limitMs`
   */
  recovered(from: number, to: number, limitMs: number): Promise<number>
  /**
   * Waits until writes are acknowledged again.
   * @returns the time from `to` to the first acknowledged write in milliseconds; infinite after `limitMs`
   */
  resumed(to: number, limitMs: number): Promise<number>
  /** Stops the clients once they have sent the minimum number of requests. */
  stop(): Promise<void>
}

export interface LoadOptions {
  auth: string
  target: Target
  seed: number
  clients?: number
  /** Maximum pause of a client between two requests, in milliseconds. */
  pauseMs?: number
  /** Minimum number of requests before the clients stop. */
  minimum?: number
  /** Whether the survey may reject submissions, because it is closed or has changed. */
  allowsRejections?: boolean
}

/** Maximum time for the minimum number of requests, in milliseconds. */
const MINIMUM_LIMIT_MS = 120_000
/** Maximum time for which a client obeys `Retry-After`, in milliseconds. */
const MAX_RETRY_DELAY_MS = 1_000
/** Number of acknowledged writes after which the service counts as recovered. */
const RECOVERED_WRITES = 10

/**
 * Starts clients that create responses through the API and the survey page, and edit and delete them. A client uses one
 * server until this server closes or refuses a connection, and then uses the next server. Requests are not repeated.
 * The exception is a submission of the survey page: it can be repeated, because its key makes it idempotent.
 */
export function startLoad(
  bases: readonly string[],
  { auth, target, seed, clients = 12, pauseMs = 40, minimum = 0, allowsRejections = false }: LoadOptions,
): Load {
  const written = new Map<string, WrittenResponse>()
  const acknowledgements: number[] = []
  const load: Load = {
    written,
    acknowledgements,
    unknown: 0,
    rejected: 0,
    requests: 0,
    cut: [],
    unexpected: [],
    recovered: (from, to, limitMs) => recovered(acknowledgements, from, to, limitMs),
    resumed: (to, limitMs) => resumed(acknowledgements, to, limitMs),
    async stop() {
      for (const deadline = Date.now() + MINIMUM_LIMIT_MS; load.requests < minimum && Date.now() < deadline; )
        await pause(20)
      stopping = true
      await Promise.all(running)
      for (const agent of agents) agent.destroy()
    },
  }
  let stopping = false
  const agents: Agent[] = []
  const running = Array.from({ length: clients }, (_, number) => client(number))
  return load

  async function client(number: number): Promise<void> {
    const random = seededRandom(seed * 1_000 + number)
    const ownResponses: WrittenResponse[] = []
    const connections = bases.map(() => createPersistentAgent())
    agents.push(...connections)
    let current = number % bases.length

    /** @returns undefined if the result of the request is unknown */
    async function write(path: string, options: RequestOptions): Promise<Reply | undefined> {
      for (;;) {
        try {
          load.requests += 1
          const reply = await send(bases[current]! + path, { ...options, agent: connections[current] })
          // A server that is stopping closes connections, and will soon refuse new connections. The client therefore
          // uses the next server, as a load balancer does.
          if (reply.closing) current = (current + 1) % bases.length
          if (reply.status < 400) acknowledgements.push(performance.now())
          else if (reply.status === 503 && reply.isOverload) {
            load.rejected += 1
            await pause(Math.min(reply.retryAfterMs, MAX_RETRY_DELAY_MS))
          } else if (reply.status < 500 && allowsRejections) load.rejected += 1
          else if (reply.status < 500)
            load.unexpected.push(`${options.method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`)
          else break
          return reply
        } catch (error) {
          if (!(error instanceof ConnectionError)) throw error
          if (!error.refused) {
            load.cut.push(`${options.method} ${path}: ${error.message}`)
            break
          }
          load.requests -= 1
          if (stopping) return undefined
          current = (current + 1) % bases.length
          await pause(20)
        }
      }
      load.unknown += 1
      await pause(100)
      return undefined
    }

    for (let turn = 0; !stopping; turn += 1) {
      const draw = random()
      const existing = ownResponses[Math.floor(random() * ownResponses.length)]
      if (existing && draw < 0.2) await edit(existing, `note ${turn}`, write)
      else if (existing && draw < 0.25) await remove(existing, ownResponses, write)
      else {
        const response: WrittenResponse = {
          marker: `${seed}-${number}-${turn}`,
          acknowledged: false,
          unknownNotes: new Set(),
        }
        written.set(response.marker, response)
        if (draw < 0.4) await createByPage(response, random, write)
        else await create(response, write)
        if (response.id !== undefined) ownResponses.push(response)
      }
      await pause(random() * pauseMs)
    }
  }

  type Write = (path: string, options: RequestOptions) => Promise<Reply | undefined>

  async function create(response: WrittenResponse, write: Write): Promise<void> {
    const path = `/api/v3/surveys/${target.id}/responses/`
    const reply = await write(path, { method: 'POST', auth, form: { marker: response.marker, _completed: '1' } })
    if (reply?.status !== 201) return
    response.acknowledged = true
    response.id = (JSON.parse(reply.text) as { id: number }).id
  }

  /** Submits the survey page with the same key until the service accepts the submission. */
  async function createByPage(response: WrittenResponse, random: () => number, write: Write): Promise<void> {
    const key = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('')
    const form = { _key: key, _page: '1', _go: 'next', marker: response.marker, note: '' }
    for (let attempt = 1; !response.acknowledged && attempt <= 100 && !(stopping && attempt > 5); attempt += 1) {
      const reply = await write(`${target.path}${key}/`, { method: 'POST', form })
      // If the survey has changed in the meantime, the service stores nothing and shows the page again with the
      // answers.
      const isShownAgain = reply?.location.includes('_draft=') || !reply?.location.includes(key)
      if (reply?.status === 303 && !isShownAgain) response.acknowledged = true
      else if (reply && reply.status < 500 && allowsRejections) return
      else if (reply && reply.status < 500) return void load.unexpected.push(`page: ${reply.status}`)
    }
  }

  async function edit(existing: WrittenResponse, note: string, write: Write): Promise<void> {
    const reply = await write(`/api/v3/surveys/${target.id}/responses/${existing.id}/`, {
      method: 'PUT',
      auth,
      form: { note },
    })
    if (reply && reply.status < 400) existing.note = note
    else existing.unknownNotes.add(note)
  }

  async function remove(existing: WrittenResponse, ownResponses: WrittenResponse[], write: Write): Promise<void> {
    ownResponses.splice(ownResponses.indexOf(existing), 1)
    const reply = await write(`/api/v3/surveys/${target.id}/responses/${existing.id}/`, { method: 'DELETE', auth })
    existing.deleted = reply && reply.status < 400 ? 'acknowledged' : 'unknown'
  }
}

async function resumed(acknowledgements: readonly number[], to: number, limitMs: number): Promise<number> {
  const deadline = performance.now() + limitMs
  const after = () => acknowledgements.filter((at) => at > to)
  while (after().length < RECOVERED_WRITES) {
    if (performance.now() > deadline) return Number.POSITIVE_INFINITY
    await pause(10)
  }
  return after()[0]! - to
}

async function recovered(
  acknowledgements: readonly number[],
  from: number,
  to: number,
  limitMs: number,
): Promise<number> {
  const deadline = performance.now() + limitMs
  const after = () => acknowledgements.filter((at) => at > to).length
  while (after() < RECOVERED_WRITES) {
    if (performance.now() > deadline) return Number.POSITIVE_INFINITY
    await pause(10)
  }
  const last = acknowledgements.findLast((at) => at <= from) ?? from
  const times = [last, ...acknowledgements.filter((at) => at > from)].sort((a, b) => a - b)
  return Math.max(...times.slice(1).map((at, index) => at - times[index]!))
}
