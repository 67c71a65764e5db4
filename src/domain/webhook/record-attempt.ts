import { type RawBuilder, sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { executePrepared } from '../execute-prepared.ts'
import { notifyOwner, type SystemEmail } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { remove } from './commands.ts'
import type { ClaimedDelivery } from './due.ts'
import type { DeliveryAttempt } from './webhook.ts'

/** The result of an attempt. */
export interface AttemptResult extends DeliveryAttempt {
  /** The request body. */
  body: string
  /** The header `Retry-After` of the reply. */
  retryAfter?: string | undefined
}

/** The status of a message after an attempt: delivered, to be retried, webhook deleted, or webhook disabled. */
export type DeliveryStatus = 'delivered' | 'retry' | 'gone' | 'disabled'

/** Attempts stored per message; older ones are discarded. */
const MAX_STORED_ATTEMPTS = 20
const STATUS_GONE = 410

/** Whether an attempt delivered its message: the subscriber answered with a 2xx status. */
export const hasSucceeded = ({ status }: AttemptResult): boolean =>
  status !== undefined && status >= 200 && status < 300

/** A successful attempt. */
export interface Success {
  delivery: ClaimedDelivery
  outcome: AttemptResult
}

/**
 * Records successful attempts with one statement. The statement does not wait for a row that another transaction has
 * locked, because the two could wait for each other.
 * @returns for each attempt, whether it was recorded; the others are left to {@link recordSuccess}
 */
export async function recordSuccesses(context: PublicContext, successes: readonly Success[]): Promise<boolean[]> {
  const recovered = successes.filter(({ delivery }) => delivery.failures > 0)
  for (const id of new Set(recovered.map(({ delivery }) => delivery.webhookId))) await enable(context, id)
  const column = <Value>(read: (success: Success) => Value) => successes.map(read)
  const ids = column(({ delivery }) => delivery.id)
  const statement = sql`
    with done as (
      select * from unnest(${ids}::bigint[], ${column(({ delivery }) => delivery.tries + 1)}::integer[],
        ${column(({ outcome }) => entryOf(outcome))}::jsonb[],
        ${column(({ outcome }) => outcome.body)}::text[]) as done (id, tries, entry, body)
    ), free as materialized (
      select id from webhook_delivery where id = any(${ids}::bigint[]) for update skip locked
    )
    update webhook_delivery as delivery set
      attempts = ${withAttempt(sql`delivery.attempts`, sql`done.entry`)},
      tries = done.tries, body = done.body, facts = null, traceparent = null,
      next_attempt_at = null, delivered_at = ${context.now}
    from done join free using (id) where delivery.id = done.id
    returning delivery.id`
  const rows = await executePrepared<{ id: number }>(context.em.getKysely<Tables>(), statement)
  const recorded = new Set(rows.map(({ id }) => id))
  return ids.map((id) => recorded.has(id))
}

/** Records a successful attempt. Waits until no other transaction locks its message. */
export const recordSuccess = (context: PublicContext, { delivery, outcome }: Success): Promise<void> =>
  storeAttempt(context, delivery, outcome, { delivered: context.now, next: null })

/**
 * Records a failed attempt. 410 deletes the webhook (docs/specification.md 11). When the last attempt of a message has
 * failed, its webhook is disabled: no further events are enqueued for it, and pending messages are discarded.
 */
export async function recordFailedAttempt(
  context: PublicContext,
  delivery: ClaimedDelivery,
  outcome: AttemptResult,
): Promise<Exclude<DeliveryStatus, 'delivered'>> {
  if (outcome.status === STATUS_GONE) {
    await context.em.transactional((em) => remove({ em }, delivery.webhookId))
    return 'gone'
  }
  const pausedUntil = pauseEnd(outcome.retryAfter, context.now)
  const next = nextAttempt(context.now, delivery.tries + 1, pausedUntil, Math.random())
  await context.em.transactional(async (em) => {
    await storeAttempt({ em }, delivery, outcome, { delivered: null, next: next ?? null })
    await recordFailure(
      { em, now: context.now },
      delivery.webhookId,
      pausedUntil,
      next ? undefined : disabledReason(outcome),
    )
    if (!next) await notifyOwner({ ...context, em }, delivery.accountId, disabledEmail(delivery, outcome))
  })
  return next ? 'retry' : 'disabled'
}

const disabledEmail = ({ event, subscriptionUrl }: ClaimedDelivery, { status, error }: AttemptResult): SystemEmail => ({
  name: error === undefined ? 'webhook_disabled_by_status' : 'webhook_disabled',
  values: { event, url: subscriptionUrl, error: error ?? String(status) },
})

/** Returns the entry of an attempt in the delivery log. */
const entryOf = ({ body: _, retryAfter: __, ...attempt }: AttemptResult): string => JSON.stringify([attempt])

/** Returns the stored attempts with a further one. */
const withAttempt = (attempts: RawBuilder<unknown>, entry: RawBuilder<unknown>): RawBuilder<string> =>
  sql`case when jsonb_array_length(${attempts}) < ${MAX_STORED_ATTEMPTS} then ${attempts} else ${attempts} - 0 end || ${entry}`

async function storeAttempt(
  { em }: Pick<PublicContext, 'em'>,
  delivery: ClaimedDelivery,
  outcome: AttemptResult,
  { delivered, next }: { delivered: Date | null; next: Date | null },
): Promise<void> {
  await em
    .getKysely<Tables>()
    .updateTable('webhook_delivery')
    .set({
      attempts: withAttempt(sql`attempts`, sql`${entryOf(outcome)}::jsonb`),
      tries: delivery.tries + 1,
      body: outcome.body,
      // The data of the response (`facts`) are kept for retries. If the survey becomes anonymous, the body is deleted,
      // and the retry builds it again.
      ...(!next && { facts: null, traceparent: null }),
      next_attempt_at: next,
      delivered_at: delivered,
    })
    .where('id', '=', delivery.id)
    .execute()
}

/** Enables a webhook again after a success. */
const enable = ({ em }: Pick<PublicContext, 'em'>, id: number) =>
  em
    .getKysely<Tables>()
    .updateTable('webhook')
    .set({ failures: 0, paused_until: null, disabled_at: null, disabled_reason: null })
    .where('id', '=', id)
    .execute()

async function recordFailure(
  { em, now }: Pick<PublicContext, 'em' | 'now'>,
  id: number,
  pausedUntil: Date | undefined,
  disabledReason: string | undefined,
): Promise<void> {
  const db = em.getKysely<Tables>()
  await db
    .updateTable('webhook')
    .set((eb) => ({
      failures: eb('failures', '+', 1),
      ...(pausedUntil && { paused_until: pausedUntil }),
      ...(disabledReason && { disabled_at: now, disabled_reason: disabledReason }),
    }))
    .where('id', '=', id)
    .execute()
  if (disabledReason)
    await db
      .updateTable('webhook_delivery')
      .set({ next_attempt_at: null })
      .where('webhook_id', '=', id)
      .where('next_attempt_at', 'is not', null)
      .execute()
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Delays after failed attempts. With these delays, ten attempts take three days. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  27 * HOUR_MS,
] as const
/** Each delay varies by a tenth, so that messages that failed together are not retried together. */
const JITTER = 0.1
/** Maximum pause that a subscriber can request (`Retry-After`). */
const MAX_PAUSE_MS = 24 * HOUR_MS

/**
 * Returns when a message is retried.
 * @param tries attempts so far, from 1
 * @param pausedUntil the end of the pause that the subscriber requested
 * @param chance a number in [0, 1)
 * @returns undefined after the last attempt
 */
function nextAttempt(now: Date, tries: number, pausedUntil: Date | undefined, chance: number): Date | undefined {
  const delay = RETRY_DELAYS_MS[tries - 1]
  if (delay === undefined) return undefined
  const jittered = now.getTime() + delay * (1 - JITTER + 2 * JITTER * chance)
  return new Date(Math.max(jittered, pausedUntil?.getTime() ?? 0))
}

/**
 * Returns the end of the pause that `Retry-After` requests (RFC 9110, section 10.2.3: seconds or a date); undefined for
 * an invalid value.
 */
function pauseEnd(retryAfter: string | undefined, now: Date): Date | undefined {
  if (!retryAfter) return undefined
  const delayMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND_MS : Date.parse(retryAfter) - now.getTime()
  if (!(delayMs > 0)) return undefined
  return new Date(now.getTime() + Math.min(delayMs, MAX_PAUSE_MS))
}

/** Returns why a webhook was disabled, as a sentence that is stored. */
const disabledReason = ({ status, error }: Pick<DeliveryAttempt, 'status' | 'error'>): string =>
  `Every attempt to deliver a message failed. Last error: ${error ?? `HTTP status ${status}`}.`

/** Returns the last error in a stored reason: an HTTP status, or a text. */
export function lastErrorIn(reason: string): { status?: string | undefined; text: string } | undefined {
  const text = /^Every attempt to deliver a message failed\. Last error: (.+)\.$/s.exec(reason)?.[1]
  return text === undefined ? undefined : { text, status: /^HTTP status (\d+)$/.exec(text)?.[1] }
}
