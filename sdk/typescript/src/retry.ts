import { secondsToWait } from './error.js'

export interface RetryOptions {
  retries?: number
  /** In seconds. */
  maxRetryDelay?: number
  /** In seconds. */
  timeout?: number
}

/** Statuses of requests that the service did not process, so that repeating them is safe for every method. */
const RETRYABLE_STATUSES = new Set([429, 503])

/**
 * Wraps `fetch` so that it repeats a request after 429 or 503, after `Retry-After` seconds or 1, 2, 4 … seconds.
 * @returns a function that returns the last response unchanged
 */
export function retry(
  send: typeof fetch,
  { retries = 3, maxRetryDelay = 60, timeout = 60 }: RetryOptions,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    for (let attempts = 0; ; attempts += 1) {
      const response = await withTimeout(send, attempts < retries ? request.clone() : request, timeout)
      const delay = secondsToWait(response) ?? 2 ** attempts
      if (!RETRYABLE_STATUSES.has(response.status) || attempts >= retries || delay > maxRetryDelay) return response
      await response.body?.cancel()
      await sleep(delay * 1000, request.signal)
    }
  }
}

/** Limits the time until the response starts, not its total time: an export can take longer. */
async function withTimeout(send: typeof fetch, request: Request, seconds: number): Promise<Response> {
  const controller = new AbortController()
  const message = `No response from ${new URL(request.url).host} within ${seconds} seconds`
  const timer = setTimeout(() => controller.abort(new DOMException(message, 'TimeoutError')), seconds * 1000)
  try {
    return await send(new Request(request, { signal: AbortSignal.any([request.signal, controller.signal]) }))
  } finally {
    clearTimeout(timer)
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', abort, { once: true })
  })
}
