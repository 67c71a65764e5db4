import type { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/random.ts'
import { ConnectionError, keptConnection, type Reply, type Sent, send } from './http.ts'
import type { Target } from './service.ts'

/** One response as its client knows it. Its marker is found nowhere else. */
export interface Written {
  marker: string
  /** Known once the API has acknowledged it. */
  id?: number
  acknowledged: boolean
  /** The last acknowledged note, and those whose fate the client does not know. */
  note?: string
  unknownNotes: Set<string>
  deleted?: 'acknowledged' | 'unknown'
}

/** Clients that write all the time. */
export interface Load {
  written: Map<string, Written>
  /** When each write was acknowledged, in milliseconds of `performance.now()`. */
  acknowledgements: number[]
  /** Writes whose fate is unknown: an error of the server, or a broken connection. */
  unknown: number
  /** Connections that broke during a request. */
  cut: string[]
  /** Replies that nothing explains: a client's mistake, or a fault. */
  unexpected: string[]
  /**
   * Waits until writes are acknowledged again.
   * @param from the moment of the fault
   * @param to the moment from which the service could recover
   * @returns the longest silence between acknowledged writes around the fault, in milliseconds; infinite after `limitMs`
   */
  recovered(from: number, to: number, limitMs: number): Promise<number>
  stop(): Promise<void>
}

export interface LoadOptions {
  auth: string
  target: Target
  seed: number
  clients?: number
  /** Longest pause of a client between two requests, in milliseconds. */
  pauseMs?: number
}

/** So many writes in a row mean that the service has recovered. */
const RECOVERED_WRITES = 10

/**
 * Starts clients that create responses by the API and by the page, edit and delete their own. A client stays with a server
 * until that one closes or refuses its connection, and then goes to the next; nothing else is sent again, but for pages, whose
 * key makes that safe.
 */
export function startLoad(
  bases: readonly string[],
  { auth, target, seed, clients = 12, pauseMs = 40 }: LoadOptions,
): Load {
  const written = new Map<string, Written>()
  const acknowledgements: number[] = []
  const load: Load = {
    written,
    acknowledgements,
    unknown: 0,
    cut: [],
    unexpected: [],
    recovered: (from, to, limitMs) => recovered(acknowledgements, from, to, limitMs),
    async stop() {
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
    const own: Written[] = []
    const connections = bases.map(() => keptConnection())
    agents.push(...connections)
    let at = number % bases.length

    /** @returns nothing when the fate of the request is unknown */
    async function write(path: string, sent: Sent): Promise<Reply | undefined> {
      for (;;) {
        try {
          const reply = await send(bases[at]! + path, { ...sent, agent: connections[at] })
          // As a load balancer does: a server that stops accepts no new connection for long.
          if (reply.closing) at = (at + 1) % bases.length
          if (reply.status < 400) acknowledgements.push(performance.now())
          else if (reply.status < 500)
            load.unexpected.push(`${sent.method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`)
          else break
          return reply
        } catch (error) {
          if (!(error instanceof ConnectionError)) throw error
          if (!error.refused) {
            load.cut.push(`${sent.method} ${path}: ${error.message}`)
            break
          }
          if (stopping) return undefined
          at = (at + 1) % bases.length
          await pause(20)
        }
      }
      load.unknown += 1
      // A client that got an error does not storm.
      await pause(100)
      return undefined
    }

    for (let turn = 0; !stopping; turn += 1) {
      const draw = random()
      const one = own[Math.floor(random() * own.length)]
      if (one && draw < 0.2) await edit(one, `note ${turn}`, write)
      else if (one && draw < 0.25) await remove(one, own, write)
      else {
        const made: Written = { marker: `${seed}-${number}-${turn}`, acknowledged: false, unknownNotes: new Set() }
        written.set(made.marker, made)
        if (draw < 0.4) await createByPage(made, random, write)
        else await create(made, write)
        if (made.id !== undefined) own.push(made)
      }
      await pause(random() * pauseMs)
    }
  }

  type Write = (path: string, sent: Sent) => Promise<Reply | undefined>

  async function create(made: Written, write: Write): Promise<void> {
    const path = `/api/v3/surveys/${target.id}/responses/`
    const reply = await write(path, { method: 'POST', auth, form: { marker: made.marker, _completed: '1' } })
    if (reply?.status !== 201) return
    made.acknowledged = true
    made.id = (JSON.parse(reply.text) as { id: number }).id
  }

  /** A respondent sends the page again, under the same key, until it is taken. */
  async function createByPage(made: Written, random: () => number, write: Write): Promise<void> {
    const key = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('')
    const form = { _key: key, _page: '1', _go: 'next', marker: made.marker, note: '' }
    for (let tries = 1; !made.acknowledged && tries <= 100 && !(stopping && tries > 5); tries += 1) {
      const reply = await write(`${target.path}${key}/`, { method: 'POST', form })
      if (reply?.status === 303) made.acknowledged = true
      else if (reply && reply.status < 500) return void load.unexpected.push(`page: ${reply.status}`)
    }
  }

  async function edit(one: Written, note: string, write: Write): Promise<void> {
    const reply = await write(`/api/v3/surveys/${target.id}/responses/${one.id}/`, {
      method: 'PUT',
      auth,
      form: { note },
    })
    if (reply && reply.status < 400) one.note = note
    else one.unknownNotes.add(note)
  }

  async function remove(one: Written, own: Written[], write: Write): Promise<void> {
    own.splice(own.indexOf(one), 1)
    const reply = await write(`/api/v3/surveys/${target.id}/responses/${one.id}/`, { method: 'DELETE', auth })
    one.deleted = reply && reply.status < 400 ? 'acknowledged' : 'unknown'
  }
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
  const before = acknowledgements.findLast((at) => at <= from) ?? from
  const around = [before, ...acknowledgements.filter((at) => at > from)].sort((a, b) => a - b)
  return Math.max(...around.slice(1).map((at, index) => at - around[index]!))
}
