import type { DeliveryAttempt } from './delivery.ts'

/** Returns why a webhook was disabled, as a sentence that is stored. */
export const disabledReason = ({ status, error }: Pick<DeliveryAttempt, 'status' | 'error'>): string =>
  `Every attempt to deliver a message failed. Last error: ${error ?? `HTTP status ${status}`}.`

/** Returns the last error in a stored reason: an HTTP status, or a text. */
export function lastErrorIn(reason: string): { status?: string | undefined; text: string } | undefined {
  const text = /^Every attempt to deliver a message failed\. Last error: (.+)\.$/s.exec(reason)?.[1]
  return text === undefined ? undefined : { text, status: /^HTTP status (\d+)$/.exec(text)?.[1] }
}
