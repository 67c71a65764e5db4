import type { DeliveryAttempt } from '../../../domain/webhook/delivery.ts'
import type { DeliverySummary } from '../../../domain/webhook/log.ts'
import { type Html, html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'

/** Renders the status of a delivery as a tag. */
export function statusTag({ deliveredAt, nextAttemptAt }: DeliverySummary): Html {
  if (deliveredAt) return html`<span class="tag good">Delivered</span>`
  return nextAttemptAt ? html`<span class="tag">Pending</span>` : html`<span class="tag bad">Failed</span>`
}

/** Returns the outcome of an attempt. */
export const attemptText = ({ status, error }: DeliveryAttempt): string =>
  status === undefined ? (error ?? t('no response')) : `HTTP ${status}`

/** Renders the outcome of the last attempt, the number of attempts, and the time of the next attempt. */
export function outcomeView({ attempts, nextAttemptAt, deliveredAt }: DeliverySummary): Html {
  const last = attempts.at(-1)
  return html`${last ? `${attemptText(last)}, ${pluralize(attempts.length, 'attempt')}` : t('not attempted yet')}${
    !deliveredAt && nextAttemptAt && attempts.length > 0 && html`, next attempt ${timeTag(nextAttemptAt)}`
  }`
}
