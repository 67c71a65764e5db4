import { setTimeout } from 'node:timers/promises'
import { propagation, type Span, SpanKind, SpanStatusCode, context as traceContext } from '@opentelemetry/api'
import type { PublicContext } from '../domain/context.ts'
import type { Services } from '../domain/services.ts'
import { createRequestBuilder } from '../domain/webhook/build-request.ts'
import { type ClaimedDelivery, claimDue, pendingWebhooks } from '../domain/webhook/due.ts'
import {
  type AttemptResult,
  type DeliveryStatus,
  hasSucceeded,
  recordFailedAttempt,
  recordSuccess,
  recordSuccesses,
  type Success,
} from '../domain/webhook/record-attempt.ts'
import { inBatches } from '../lib/in-batches.ts'
import type { Log } from '../lib/log.ts'
import { contextOf, inSpan } from '../lib/tracing.ts'
import { DeliveryLimiter } from './delivery-limiter.ts'

/** Interval between polls for due messages if none is due. */
const POLL_INTERVAL_MS = 500
/** Minimum interval between polls, so that a poll claims many messages if many slots become free. */
const MIN_POLL_INTERVAL_MS = 5
/** Maximum time for the reply of a subscriber. */
const REQUEST_TIMEOUT_MS = 10_000
/** Number of characters of a response body that the delivery log stores. */
const EXCERPT_CHARACTERS = 300

export interface Deliveries {
  /** Delivers due messages until there are none. For tests; a worker calls `start`. */
  drain(): Promise<void>
  /** Delivers messages as they become due until `stop`. */
  start(): void
  /** Stops claiming messages and waits for the current attempts. */
  stop(): Promise<void>
}

/** Attempts that begin at the same time. */
interface Round {
  /** ISO 8601. */
  at: string
  services: Services
  build: ReturnType<typeof createRequestBuilder>
}

/**
 * Delivers the webhook messages in the outbox. A claim postpones the due time of a message. If the worker crashes, its
 * messages therefore become due again. Each webhook has a separate concurrency limit (delivery-limiter.ts).
 * @param count receives the result of each attempt
 */
export function createDeliveries(
  createContext: () => PublicContext,
  log: Log,
  count: (result: DeliveryStatus) => void = () => undefined,
): Deliveries {
  const limiter = new DeliveryLimiter()
  const recordInBatch = inBatches((successes: readonly Success[]) => recordSuccesses(createContext(), successes))
  let stopping = false
  let running: Promise<void> | undefined
  /** Set when an attempt has ended, because a slot may then be free. */
  let woken = false
  let endPause: () => void = () => undefined

  /**
   * Claims as many due messages as there are free slots, and starts to deliver them.
   * @returns the number of claimed messages
   */
  async function poll(): Promise<number> {
    woken = false
    const context = createContext()
    const capacity = limiter.allocate(await pendingWebhooks(context))
    if (!capacity.size) return 0
    const claimed = await claimDue(context, capacity)
    const begin = createContext()
    const round = { at: begin.now.toISOString(), services: begin.services, build: createRequestBuilder(begin) }
    for (const delivery of claimed)
      limiter.acquire({ ...delivery, id: delivery.webhookId }, deliver(delivery, round).finally(wake))
    return claimed.length
  }

  function wake(): void {
    woken = true
    endPause()
  }

  /**
   * Delivers a message in the trace of the request that caused it.
   * @returns whether the message was delivered
   */
  function deliver(claimed: ClaimedDelivery, round: Round): Promise<boolean> {
    const attributes = {
      'canvass.webhook': claimed.webhookId,
      'canvass.delivery': claimed.id,
      'canvass.attempt': claimed.tries + 1,
      'server.address': new URL(claimed.subscriptionUrl).hostname,
    }
    const options = { kind: SpanKind.CLIENT, attributes }
    return inSpan(`deliver ${claimed.event}`, options, contextOf(claimed.traceparent), (span) =>
      deliverIn(span, claimed, round),
    )
  }

  async function deliverIn(span: Span, claimed: ClaimedDelivery, round: Round): Promise<boolean> {
    try {
      const outcome = await attempt(claimed, round)
      const result = await record(claimed, outcome)
      count(result)
      const { status, error, ms } = outcome
      span.setAttributes({ 'http.response.status_code': status, 'canvass.result': result })
      if (result !== 'delivered')
        span.setStatus({ code: SpanStatusCode.ERROR, message: error ?? `HTTP status ${status}` })
      const fields = { webhook: claimed.webhookId, delivery: claimed.id, account: claimed.accountId, status, error, ms }
      if (result === 'disabled') log.warn(fields, 'webhook disabled after too many failures')
      else log.debug(fields, `delivery attempt: ${result}`)
      return result === 'delivered'
    } catch (error) {
      // The message becomes due again when its claim ends.
      log.warn({ err: error, webhook: claimed.webhookId, delivery: claimed.id }, 'could not send or record a delivery')
      return false
    }
  }

  async function record(delivery: ClaimedDelivery, outcome: AttemptResult): Promise<DeliveryStatus> {
    if (!hasSucceeded(outcome)) return recordFailedAttempt(createContext(), delivery, outcome)
    const success = { delivery, outcome }
    if (!(await recordInBatch(success))) await recordSuccess(createContext(), success)
    return 'delivered'
  }

  async function attempt(claimed: ClaimedDelivery, { at, services, build }: Round): Promise<AttemptResult> {
    const { url, headers, body } = await build(claimed)
    const began = performance.now()
    const sent = { at, body }
    const traceHeaders: Record<string, string> = {}
    propagation.inject(traceContext.active(), traceHeaders)
    const ms = () => Math.round(performance.now() - began)
    try {
      const reply = await services.safeHttp.send(url, {
        method: 'POST',
        headers: { ...headers, ...traceHeaders },
        body,
        timeoutMs: REQUEST_TIMEOUT_MS,
        excerptCharacters: EXCERPT_CHARACTERS,
      })
      const retryAfter = reply.headers['retry-after']
      return { ...sent, status: reply.status, answer: reply.text, ms: ms(), retryAfter: [retryAfter].flat()[0] }
    } catch (error) {
      return { ...sent, error: error instanceof Error ? error.message : String(error), ms: ms() }
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const claimed = await poll().catch((error) => {
        log.warn({ err: error }, 'could not read the outbox')
        return 0
      })
      if (stopping) return
      await pause()
      if (claimed && !stopping) await setTimeout(MIN_POLL_INTERVAL_MS)
    }
  }

  /** Waits until an attempt ends or the poll interval is over. */
  async function pause(): Promise<void> {
    if (woken) return
    const ended = new AbortController()
    endPause = () => ended.abort()
    await setTimeout(POLL_INTERVAL_MS, undefined, { signal: ended.signal }).catch(() => undefined)
  }

  return {
    drain: async () => {
      while ((await poll()) || limiter.busy) await limiter.anyFree()
    },
    start: () => {
      running = run()
    },
    stop: async () => {
      stopping = true
      wake()
      await running
      await limiter.allFree()
    },
  }
}
