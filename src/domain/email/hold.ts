import type { MailCause, MailError, MailFailure } from '../../lib/mail-error.ts'

/**
 * Why the messages of an email wait: the mail server limits, refuses or cannot serve this installation. The messages stay
 * queued, and a run tries again from time to time.
 */
export interface DeliveryHold {
  failure: Exclude<MailFailure, 'rejected' | 'deferred' | 'unreachable'>
  reason: MailCause
  /** The reply of the mail server, or the error of the connection. */
  reply: string
  /** ISO 8601. */
  since: string
  /** When the next run tries again, ISO 8601. */
  until: string
}

const MINUTE_MS = 60_000
/** The shortest and the longest time until the next try: a limit ends automatically, a refusal only after a change. */
const PAUSES_MS = {
  limited: [MINUTE_MS, 15 * MINUTE_MS],
  refused: [5 * MINUTE_MS, 360 * MINUTE_MS],
  misconfigured: [5 * MINUTE_MS, 60 * MINUTE_MS],
} as const satisfies Record<DeliveryHold['failure'], readonly [number, number]>

/**
 * Returns the hold after an error that stops sending. The next try is due after as long as sending has been stopped, so
 * that the pauses double.
 * @param previous the hold before the run; null if the run sent a message
 */
export function holdAfter(error: MailError, now: Date, previous: DeliveryHold | null): DeliveryHold {
  const failure = error.failure as DeliveryHold['failure']
  const since = previous?.failure === failure ? new Date(previous.since) : now
  const [shortest, longest] = PAUSES_MS[failure]
  const pause = Math.min(Math.max(now.getTime() - since.getTime(), shortest), longest)
  const until = new Date(now.getTime() + pause)
  return { failure, reason: error.reason, reply: error.message, since: since.toISOString(), until: until.toISOString() }
}
