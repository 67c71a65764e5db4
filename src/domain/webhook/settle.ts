import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import { notifyOwner, type SystemEmail } from '../system-email.ts'
import type { Tables } from '../tables.ts'
import { remove } from './commands.ts'
import type { DeliveryAttempt } from './delivery.ts'
import type { ClaimedDelivery } from './due.ts'
import { nextAttempt, restOf } from './schedule.ts'

/** The result of an attempt. */
export interface Outcome extends DeliveryAttempt {
  /** The request body. */
  body: string
  /** The header of that name. */
  retryAfter?: string | undefined
}

/** The outcome of a message. */
export type Settled = 'delivered' | 'again' | 'gone' | 'disabled'

/** Attempts kept per message; the oldest are dropped first. */
const KEPT_ATTEMPTS = 20
const GONE = 410

/**
 * Records the result of an attempt. A 2xx status is a success. 410 deletes the webhook (docs/specification.md 11). After the last
 * failed attempt of a message its webhook is disabled: no further events are recorded for it, and pending messages are dropped.
 */
export async function settle(context: PublicContext, taken: ClaimedDelivery, outcome: Outcome): Promise<Settled> {
  if (outcome.status === GONE) {
    await context.em.transactional((em) => remove({ em }, taken.webhookId))
    return 'gone'
  }
  const succeeded = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300
  if (succeeded) {
    await note(context, taken, outcome, { delivered: context.now, next: null })
    if (taken.failures > 0) await recover(context, taken.webhookId)
    return 'delivered'
  }
  const rest = restOf(outcome.retryAfter, context.now)
  const next = nextAttempt(context.now, taken.tries + 1, rest, Math.random())
  await context.em.transactional(async (em) => {
    await note({ em }, taken, outcome, { delivered: null, next: next ?? null })
    await fail({ em, now: context.now }, taken.webhookId, rest, next ? undefined : reasonOf(outcome))
    if (!next) await notifyOwner({ ...context, em }, taken.accountId, noticeOf(taken, outcome))
  })
  return next ? 'again' : 'disabled'
}

const reasonOf = ({ status, error }: Outcome) =>
  `Every attempt to deliver a message failed. Last error: ${error ?? `HTTP status ${status}`}.`

const noticeOf = ({ event, subscriptionUrl }: ClaimedDelivery, outcome: Outcome): SystemEmail => ({
  subject: 'Webhook disabled',
  text: `We have disabled this webhook because deliveries to it failed for three days:

Event: ${event}
URL: ${subscriptionUrl}

${reasonOf(outcome)}

To enable it, redeliver one of its messages or create the webhook again.
`,
})

async function note(
  { em }: Pick<PublicContext, 'em'>,
  taken: ClaimedDelivery,
  { body, retryAfter: _, ...attempt }: Outcome,
  { delivered, next }: { delivered: Date | null; next: Date | null },
): Promise<void> {
  const one = JSON.stringify([attempt])
  await em
    .getKysely<Tables>()
    .updateTable('webhook_delivery')
    .set({
      attempts: sql`case when jsonb_array_length(attempts) < ${KEPT_ATTEMPTS} then attempts else attempts - 0 end || ${one}::jsonb`,
      tries: taken.tries + 1,
      body,
      // What has to be sent again can be written anew without whoever is to be forgotten meanwhile (forget.ts).
      ...(!next && { facts: null }),
      next_attempt_at: next,
      delivered_at: delivered,
    })
    .where('id', '=', taken.id)
    .execute()
}

/** Enables the webhook again after a success. */
const recover = ({ em }: Pick<PublicContext, 'em'>, id: number) =>
  em
    .getKysely<Tables>()
    .updateTable('webhook')
    .set({ failures: 0, resting_until: null, disabled_at: null, disabled_reason: null })
    .where('id', '=', id)
    .execute()

async function fail(
  { em, now }: Pick<PublicContext, 'em' | 'now'>,
  id: number,
  rest: Date | undefined,
  disabledReason: string | undefined,
): Promise<void> {
  const db = em.getKysely<Tables>()
  await db
    .updateTable('webhook')
    .set((eb) => ({
      failures: eb('failures', '+', 1),
      ...(rest && { resting_until: rest }),
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
