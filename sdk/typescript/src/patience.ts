import { secondsToWait } from './error.js'

export interface Patience {
  retries?: number
  /** In seconds. */
  longestWait?: number
  /** In seconds. */
  timeout?: number
}

/** A request that was turned away at the door was not done: it may be sent again, whatever its method. */
const turnedAway = new Set([429, 503])

/** Waits as long as it is told, or 1, 2, 4 … seconds. The last answer is given back as it is. */
export function patient(send: typeof fetch, { retries = 3, longestWait = 60, timeout = 60 }: Patience): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    for (let tries = 0; ; tries += 1) {
      const response = await inTime(send, tries < retries ? request.clone() : request, timeout)
      const wait = secondsToWait(response) ?? 2 ** tries
      if (!turnedAway.has(response.status) || tries >= retries || wait > longestWait) return response
      await response.body?.cancel()
      await pause(wait * 1000, request.signal)
    }
  }
}

/** Only the beginning of the answer has to come in time: an export may well take longer. */
async function inTime(send: typeof fetch, request: Request, seconds: number): Promise<Response> {
  const late = new AbortController()
  const words = `No answer of ${new URL(request.url).host} within ${seconds} seconds`
  const timer = setTimeout(() => late.abort(new DOMException(words, 'TimeoutError')), seconds * 1000)
  try {
    return await send(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }))
  } finally {
    clearTimeout(timer)
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
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
