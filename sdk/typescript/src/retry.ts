import { APIConnectionError, type CanvassError, isSurveyError } from './error.js'

/** Maximum of the first delay. The maximum doubles with each retry, up to {@link MAX_BACKOFF_SECONDS}. */
const FIRST_DELAY_SECONDS = 0.5
const MAX_BACKOFF_SECONDS = 8

/**
 * Statuses after which a retry is safe, because the request was not executed or the idempotency key prevents a second
 * execution.
 */
const RETRYABLE_STATUSES: ReadonlySet<number | undefined> = new Set([408, 429, 500, 502, 503, 504])

/** Codes of 409 after which a retry can succeed. The service has changed nothing for the request. */
const RETRYABLE_CONFLICTS: ReadonlySet<string | undefined> = new Set(['request_in_progress', 'busy'])

function isRetryable(error: CanvassError): boolean {
  if (error instanceof APIConnectionError) return true
  if (error.status === 409) return RETRYABLE_CONFLICTS.has(error.code)
  return RETRYABLE_STATUSES.has(error.status) && !isSurveyError(error.body)
}

/**
 * Returns the delay before the next attempt, in seconds. The delay is random, so that clients whose requests failed at
 * the same time do not retry at the same time. Its maximum is 0.5 seconds for the first retry and doubles up to 8
 * seconds. If the response has `Retry-After`, the delay is at least that long.
 * @returns undefined if there is no further attempt
 */
export function retryDelay(error: CanvassError, maxRetries: number, maxRetryDelay: number): number | undefined {
  if (error.retries >= maxRetries || !isRetryable(error)) return undefined
  const backoff = Math.random() * Math.min(MAX_BACKOFF_SECONDS, FIRST_DELAY_SECONDS * 2 ** error.retries)
  const delay = Math.max(Math.min(backoff, maxRetryDelay), error.retryAfter ?? 0)
  return delay > maxRetryDelay ? undefined : delay
}

/** Codes of errors that occur before a connection is established, so that the request was not sent. */
const NOT_SENT: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** Returns whether the service may have received a request whose response did not arrive. */
export function maybeSent(cause: unknown): boolean {
  const { code } = (cause instanceof Error ? (cause.cause ?? cause) : {}) as { code?: unknown }
  return !NOT_SENT.includes(code)
}

/**
 * Waits for a number of seconds.
 * @throws the reason of the signal if it is aborted
 */
export function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
