import type { CallOptions } from './options.js'

/** The body of a response after it was read. */
export interface Arrival {
  data: unknown
  /**
   * Whether the body cannot be from Canvass, because it is HTML or invalid JSON. In this case a proxy replied, or the
   * base URL is wrong.
   */
  notCanvass: boolean
}

/** A timer that aborts a request if no data arrives for some time. */
export interface Watch {
  /** Is aborted if no data arrives in time, or if the caller aborts the call. */
  signal: AbortSignal
  /** The signal of the caller. `signal` refers to it weakly, and it must not be garbage collected. */
  source: AbortSignal | undefined
  /** Restarts the timer, because data arrived. */
  restart(): void
  stop(): void
  timedOut(): boolean
}

/** Starts a timer that aborts a request if no data arrives within `seconds`. */
export function watch(seconds: number, signal: AbortSignal | undefined): Watch {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException(`No data within ${seconds} seconds`, 'TimeoutError'))
  const start = () => setTimeout(abort, seconds * 1000)
  let timer = start()
  return {
    signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
    source: signal,
    restart() {
      clearTimeout(timer)
      timer = start()
    },
    stop: () => clearTimeout(timer),
    timedOut: () => controller.signal.aborted,
  }
}

/**
 * Reads the body of a response, or returns the body as a stream if `parseAs` is `stream`.
 * @throws the error of the connection if the body is truncated
 */
export async function readBody(
  response: Response,
  parseAs: NonNullable<CallOptions['parseAs']>,
  watched: Watch,
): Promise<Arrival> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  const notCanvass = response.ok && type === 'text/html'
  if (parseAs === 'stream' && !notCanvass) return { data: streamOf(response, watched), notCanvass }
  const bytes = await bytesOf(response, watched)
  if (parseAs === 'arrayBuffer') return { data: bytes.buffer, notCanvass }
  const isText = parseAs === 'text' || parseAs === 'json' || type === '' || /[/+]json$|^text\//.test(type)
  if (parseAs === 'blob' || !isText) return { data: new Blob([bytes], { type }), notCanvass }
  const text = new TextDecoder().decode(bytes)
  if (notCanvass || !(parseAs === 'json' || (parseAs === 'auto' && !type.startsWith('text/')) || !response.ok))
    return { data: text, notCanvass }
  return parsed(text, response.ok)
}

function parsed(text: string, ok: boolean): Arrival {
  try {
    return { data: text || !ok ? JSON.parse(text) : {}, notCanvass: false }
  } catch {
    return { data: text, notCanvass: ok }
  }
}

/** Returns the body as a stream. The timer runs only while the reader of the stream waits for data. */
function streamOf({ body }: Response, watched: Watch): ReadableStream<Uint8Array> {
  const reader = body?.getReader()
  let isCancelled = false
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      watched.restart()
      const read = await reader?.read().finally(watched.stop)
      if (isCancelled) return
      if (read?.value) controller.enqueue(read.value)
      else controller.close()
    },
    cancel: (reason) => {
      isCancelled = true
      return reader?.cancel(reason)
    },
  })
}

async function bytesOf({ body }: Response, watched: Watch): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    watched.restart()
    chunks.push(read.value)
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer())
}
