import type { Bytes } from './csv.js'
import { APIConnectionError, CanvassError } from './error.js'
import type { CallOptions } from './options.js'
import type { APIResponse } from './promise.js'

type Send = (headers: Record<string, string>) => Promise<APIResponse<unknown>>

/**
 * Returns a file as a stream. If the connection breaks, the rest is requested with `Range` and `If-Range`, so the stream goes on
 * as long as the file has not changed and every request makes progress.
 * @param send requests the file with additional headers; the data of its result is a stream
 * @throws APIConnectionError, from the stream, if the file has changed in the meantime
 */
export async function download(send: Send, { headers = {} }: CallOptions): Promise<Bytes> {
  const own = Object.fromEntries(
    (headers instanceof Headers ? [...headers] : Object.entries(headers)).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
  const first = await send(own)
  const etag = first.headers.get('etag')
  const canResume = etag !== null && first.status === 200
  let reader = (first.data as Bytes).getReader()
  let received = 0
  let receivedBefore = -1
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          received += value.length
          return controller.enqueue(value)
        } catch (cause) {
          if (!canResume || received === receivedBefore) throw broken('The connection was closed before the end', cause)
          receivedBefore = received
          const rest = await send({ ...own, Range: `bytes=${received}-`, 'If-Range': etag }).catch((error: unknown) => {
            // The connection was closed after the last byte.
            if (error instanceof CanvassError && error.headers?.get('content-range') === `bytes */${received}`)
              return undefined
            throw error
          })
          if (!rest) return controller.close()
          if (rest.status !== 206 && received > 0)
            throw broken('The file changed after the connection was closed', cause)
          reader = (rest.data as Bytes).getReader()
        }
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

const broken = (text: string, cause: unknown): APIConnectionError =>
  new APIConnectionError(
    { message: `${text} of the file`, cause, retries: 0, maybeApplied: false },
    'connection_failed',
  )
