import type { Bytes } from './csv.js'
import { APIConnectionError, CanvassError } from './error.js'
import type { CallOptions } from './options.js'
import type { APIResponse } from './promise.js'

type Send = (headers: Record<string, string>) => Promise<APIResponse<unknown>>

/**
 * Returns a file as a stream. If the connection breaks, the rest of the file is requested with `Range` and `If-Range`.
 * The stream fails if the file has changed, or if a request for the rest returns no data. Some proxies hide that a
 * connection broke: at the end of a reply without a length, a request for the bytes after the last one checks that the
 * file is whole.
 * @param send requests the file with additional headers; the data in its result is a stream
 * @throws APIConnectionError, from the stream, if the file has changed in the meantime
 */
export async function download(send: Send, { headers = {} }: CallOptions): Promise<Bytes> {
  const own = Object.fromEntries(
    (headers instanceof Headers ? [...headers] : Object.entries(headers)).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
  const first = await send(own)
  const etag = first.headers.get('etag')
  // A compressed file cannot be continued. `Range` counts compressed bytes, but only the number of decompressed bytes
  // is known here.
  const canResume = etag !== null && first.status === 200 && !first.headers.has('content-encoding')
  const canCheck = canResume && first.headers.get('accept-ranges') === 'bytes'
  let hasLength = first.headers.has('content-length')
  let reader = (first.data as Bytes).getReader()
  let received = 0
  let receivedBefore = -1
  let isCancelled = false

  /**
   * Requests the rest of the file.
   * @param cause why the connection broke; undefined if the reply has ended
   * @returns undefined if there is no rest, because the last byte has arrived
   */
  async function requestRest(cause?: unknown): Promise<Bytes | undefined> {
    if (!canResume || received === receivedBefore)
      throw broken('The connection was closed before the end of the file', cause)
    receivedBefore = received
    try {
      const rest = await send({ ...own, Range: `bytes=${received}-`, 'If-Range': etag! })
      hasLength = rest.headers.has('content-length')
      if (rest.status !== 206 && cause === undefined) {
        // The file has changed after its last byte, so it cannot be checked.
        await (rest.data as Bytes).cancel()
        return undefined
      }
      if (rest.status !== 206 && received > 0) throw broken('The file changed after the connection was closed', cause)
      return rest.data as Bytes
    } catch (error) {
      if (error instanceof CanvassError && error.headers?.get('content-range') === `bytes */${received}`)
        return undefined
      throw error
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (!isCancelled) {
        const read = await reader.read().catch((cause: unknown) => ({ cause }))
        if (isCancelled) return
        const hasFailed = 'cause' in read
        if (!hasFailed && !read.done) {
          received += read.value.length
          return controller.enqueue(read.value)
        }
        if (!hasFailed && (hasLength || !canCheck)) return controller.close()
        const rest = await requestRest(hasFailed ? (read.cause ?? new Error('the connection broke')) : undefined)
        if (!rest) return controller.close()
        reader = rest.getReader()
      }
      await reader.cancel()
    },
    cancel: (reason) => {
      isCancelled = true
      return reader.cancel(reason)
    },
  })
}

const broken = (text: string, cause: unknown): APIConnectionError =>
  new APIConnectionError({ message: text, cause, retries: 0, maybeApplied: false }, 'connection_failed')
