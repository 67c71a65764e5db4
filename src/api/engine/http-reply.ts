import type { Readable } from 'node:stream'
import type { Context as Koa } from 'koa'
import { allowPauses } from '../../lib/deadlines.ts'
import { firstByte } from '../../lib/first-byte.ts'
import type { AnyReply, Trailer } from './operation.ts'

/** A reply before Koa sends it. */
export interface HttpReply {
  status: number
  /** Names in lower case. A list is sent as several header lines. */
  headers: Record<string, string | string[]> & { 'content-type'?: string }
  body: string | Readable | undefined
  trailer?: Trailer | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Converts the reply of a handler to an HTTP reply.
 * @throws the error of a stream before its first byte, while an error reply is still possible
 */
export async function httpReplyOf({ status, body, json, stream, headers = {}, trailer }: AnyReply): Promise<HttpReply> {
  const ownHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (stream) {
    await firstByte(stream)
    return { status, headers: ownHeaders, body: stream, trailer }
  }
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body))
  return { status, headers: text === undefined ? ownHeaders : { 'content-type': JSON_TYPE, ...ownHeaders }, body: text }
}

/** Sends a reply through Koa. */
export function send(ctx: Koa, { status, headers, body, trailer }: HttpReply): void {
  ctx.status = status
  ctx.body = body ?? null
  if (typeof body === 'object') allowPauses(ctx.res)
  ctx.status = status
  for (const name in headers)
    if (name === 'link') ctx.append(name, headers[name]!)
    else ctx.set(name, headers[name]!)
  if (trailer && typeof body === 'object' && acceptsTrailers(ctx) && !('content-length' in headers)) {
    ctx.set('Trailer', trailer.name)
    // Koa ends the reply after this listener.
    body.once('end', () => ctx.res.addTrailers({ [trailer.name]: trailer.value() }))
  }
}

/** Only replies in chunks can have trailers (RFC 9112, 7.1.2). */
const acceptsTrailers = ({ req }: Koa): boolean =>
  req.httpVersion === '1.1' && /(?:^|,)\s*trailers\s*(?:[;,]|$)/i.test(String(req.headers.te ?? ''))
