import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { notifyOwner, type SystemEmail } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { remove } from './commands.ts'
import type { DeliveryAttempt } from './delivery.ts'
import { disabledReason } from './disabled-reason.ts'
import type { ClaimedDelivery } from './due.ts'
import { nextAttempt, pauseEnd } from './schedule.ts'

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

/**
 * Records the result of an attempt. A 2xx status is a success. 410 deletes the webhook (docs/specification.md 11). When
 * the last attempt of a message has failed, its webhook is disabled: no further events are enqueued for it, and pending
 * messages are discarded.
 */
export async function recordAttempt(
  context: PublicContext,
  delivery: ClaimedDelivery,
  outcome: AttemptResult,
): Promise<DeliveryStatus> {
  if (outcome.status === STATUS_GONE) {
    await context.em.transactional((em) => remove({ em }, delivery.webhookId))
    return 'gone'
  }
  const succeeded = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300
  if (succeeded) {
    await storeAttempt(context, delivery, outcome, { delivered: context.now, next: null })
    if (delivery.failures > 0) await enable(context, delivery.webhookId)
    return 'delivered'
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

async function storeAttempt(
  { em }: Pick<PublicContext, 'em'>,
  delivery: ClaimedDelivery,
  { body, retryAfter: _, ...attempt }: AttemptResult,
  { delivered, next }: { delivered: Date | null; next: Date | null },
): Promise<void> {
  const entry = JSON.stringify([attempt])
  await em
    .getKysely<Tables>()
    .updateTable('webhook_delivery')
    .set({
      attempts: sql`case when jsonb_array_length(attempts) < ${MAX_STORED_ATTEMPTS} then attempts else attempts - 0 end || ${entry}::jsonb`,
      tries: delivery.tries + 1,
      body,
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
