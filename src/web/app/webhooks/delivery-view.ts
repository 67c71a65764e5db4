import type { DeliveryAttempt } from '../../../domain/webhook/delivery.ts'
import type { DeliverySummary } from '../../../domain/webhook/log.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pluralize } from '../../layout/pluralize.ts'
import { timeTag } from '../../layout/time-tag.ts'

/** Whether a message has arrived, still may, or will not. */
export function stateView({ deliveredAt, nextAttemptAt }: DeliverySummary): Html {
  if (deliveredAt) return html`<span class="tag good">Delivered</span>`
  return nextAttemptAt ? html`<span class="tag">Pending</span>` : html`<span class="tag bad">Failed</span>`
}

/** What an attempt led to. */
export const attemptText = ({ status, error }: DeliveryAttempt): string =>
  status === undefined ? (error ?? 'no response') : `HTTP ${status}`

/** The last attempt, how many there were, and when the next one is. */
export function outcomeView({ attempts, nextAttemptAt, deliveredAt }: DeliverySummary): Html {
  const last = attempts.at(-1)
  return html`${last ? `${attemptText(last)}, ${pluralize(attempts.length, 'attempt')}` : 'not attempted yet'}${
    !deliveredAt && nextAttemptAt && attempts.length > 0 && html`, next attempt ${timeTag(nextAttemptAt)}`
  }`
}
