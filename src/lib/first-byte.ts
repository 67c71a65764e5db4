import { once } from 'node:events'
import type { Readable } from 'node:stream'

/**
 * Waits until a stream is readable or ends empty.
 * @throws the error of the stream, if the stream fails first
 */
export async function firstByte(stream: Readable): Promise<void> {
  if (stream.readableLength > 0 || stream.readableEnded) return
  const settled = new AbortController()
  const wait = { signal: settled.signal }
  try {
    await Promise.race([once(stream, 'readable', wait), once(stream, 'end', wait)])
  } finally {
    settled.abort()
  }
}
