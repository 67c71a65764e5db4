import type { Readable } from 'node:stream'
import type { Context as Koa } from 'koa'
import { firstByte } from '../../lib/first-byte.ts'
import type { AnyReply } from './operation.ts'

/** What goes out, not yet handed to Koa. */
export interface HttpReply {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: string | Readable | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** @throws whatever the stream fails with before its first byte: until then an error can still be answered. */
export async function answerOf({ status, body, json, stream, headers = {} }: AnyReply): Promise<HttpReply> {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (stream) {
    await firstByte(stream)
    return { status, headers: own, body: stream }
  }
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body))
  return { status, headers: text === undefined ? own : { 'content-type': JSON_TYPE, ...own }, body: text }
}

/** Hands an answer to Koa: the last step of a request. */
export function send(ctx: Koa, { status, headers, body }: HttpReply): void {
  ctx.status = status
  ctx.body = body ?? null
  ctx.status = status
  for (const name in headers) ctx.set(name, headers[name]!)
}
