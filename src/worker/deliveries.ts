import type { PublicContext } from '../domain/context.ts'
import { type ClaimedDelivery, claimDue, waitingWebhooks } from '../domain/webhook/due.ts'
import { messageOf } from '../domain/webhook/message.ts'
import { type Outcome, settle } from '../domain/webhook/settle.ts'
import type { Log } from '../lib/log.ts'
import { DeliveryLimiter } from './delivery-limiter.ts'

/** Milliseconds between two looks for due messages while nothing happens. */
const POLL_INTERVAL_MS = 500
/** A subscriber has so long to answer, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000
/** Characters of its answer that the log keeps. */
const EXCERPT_CHARACTERS = 300

export interface Deliveries {
  /** Delivers what is due until nothing is due any more. For tests; a worker runs by itself. */
  workDue(): Promise<void>
  /** Delivers what becomes due until it is stopped. */
  start(): void
  /** Begins nothing more, and waits for what is in hand. */
  stop(): Promise<void>
}

/**
 * Delivers the outbox of webhooks. The rows themselves are the queue: taking one moves its time ahead, so that what a
 * dead worker had in hand becomes due again by itself. Each webhook has slots of its own (slots.ts).
 */
export function createDeliveries(context: () => PublicContext, log: Log): Deliveries {
  const slots = new DeliveryLimiter()
  let stopping = false
  let running: Promise<void> | undefined
  /** Something ended since the last look: there may be a free slot. */
  let stirred = false
  let wake: () => void = () => undefined

  /** Takes as much as there are slots for. @returns how many messages were begun */
  async function pass(): Promise<number> {
    stirred = false
    const now = context()
    const wanted = slots.allocate(await waitingWebhooks(now))
    if (!wanted.size) return 0
    const taken = await claimDue(now, wanted)
    for (const one of taken) slots.acquire(one.webhookId, one.failures > 0, deliver(one).finally(stir))
    return taken.length
  }

  function stir(): void {
    stirred = true
    wake()
  }

  async function deliver(taken: ClaimedDelivery): Promise<void> {
    try {
      const outcome = await attempt(taken)
      const settled = await settle(context(), taken, outcome)
      const { status, error, ms } = outcome
      const facts = { webhook: taken.webhookId, delivery: taken.id, account: taken.accountId, status, error, ms }
      if (settled === 'disabled') log.warn(facts, 'a webhook is switched off: nobody answered')
      else log.debug(facts, `a delivery: ${settled}`)
    } catch (error) {
      // The lease ends, and the message is due again.
      log.warn({ err: error, webhook: taken.webhookId, delivery: taken.id }, 'a delivery could not be settled')
    }
  }

  async function attempt(taken: ClaimedDelivery): Promise<Outcome> {
    const started = context()
    const { url, headers, body } = await messageOf(started, taken)
    const at = started.now.toISOString()
    const began = performance.now()
    const sent = { at, body }
    const ms = () => Math.round(performance.now() - began)
    try {
      const answer = await started.services.safeHttp.send(url, {
        method: 'POST',
        headers,
        body,
        timeout: REQUEST_TIMEOUT_MS,
        excerpt: EXCERPT_CHARACTERS,
      })
      const retryAfter = answer.headers['retry-after']
      return { ...sent, status: answer.status, answer: answer.text, ms: ms(), retryAfter: [retryAfter].flat()[0] }
    } catch (error) {
      return { ...sent, error: error instanceof Error ? error.message : String(error), ms: ms() }
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const begun = await pass().catch((error) => {
        log.warn({ err: error }, 'the outbox could not be read')
        return 0
      })
      if (!begun && !stopping) await pause()
    }
  }

  /** Until something ended, or it is time to look again. */
  const pause = () =>
    new Promise<void>((resolve) => {
      if (stirred) return resolve()
      const timer = setTimeout(resolve, POLL_INTERVAL_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  return {
    workDue: async () => {
      while ((await pass()) || slots.busy) await slots.anyFree()
    },
    start: () => {
      running = run()
    },
    stop: async () => {
      stopping = true
      stir()
      await running
      await slots.allFree()
    },
  }
}
