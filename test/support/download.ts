import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'

/** A reply whose body was read, at least in part. */
export interface Downloaded {
  status: number
  headers: IncomingMessage['headers']
  trailers: IncomingMessage['trailers']
  bytes: Buffer
}

/**
 * Sends a GET request on a separate connection.
 * @param cut the number of body bytes after which the client disconnects; by default the client reads the whole body
 */
export async function download(
  url: string | URL,
  headers: OutgoingHttpHeaders,
  cut = Number.POSITIVE_INFINITY,
): Promise<Downloaded> {
  const sent = request(url, { headers, agent: false }).end()
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of reply) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= cut) break
  }
  sent.destroy()
  const { headers: received, trailers } = reply
  return { status: reply.statusCode!, headers: received, trailers, bytes: Buffer.concat(chunks).subarray(0, cut) }
}
