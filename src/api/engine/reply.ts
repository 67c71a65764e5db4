import type { Readable } from 'node:stream'
import type { Context as Koa } from 'koa'
import { allowPauses } from '../../lib/deadlines.ts'
import { firstByte } from '../../lib/http.ts'
import { descendant, type Endpoint, type Schemas } from './contract.ts'
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

/** A reply before it is sent. `body` is the parsed JSON, or undefined if the reply is not JSON. */
export interface SentReply {
  status: number
  headers: Readonly<Record<string, unknown>>
  /** The Content-Type header; empty without a body. */
  contentType: string
  body: unknown
}

/**
 * Header fields that a reply may send only if the contract declares them for the reply. Other header fields are not
 * checked.
 */
const INTERFACE_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-range',
  'deprecation',
  'etag',
  'idempotent-replayed',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'sunset',
  'vary',
  'www-authenticate',
  'x-request-id',
])

const isJson = (type: string) => type === 'application/json' || type.endsWith('+json')

/**
 * Compares a reply with its contract.
 * @returns the violations: an undeclared status, code or media type, an invalid body, a missing or undeclared header,
 *   a `Location` on 201
 */
export function violations(
  endpoint: Pick<Endpoint, 'operationId' | 'replies'>,
  schemas: Schemas,
  { status, headers, contentType, body }: SentReply,
): string[] {
  const reply = endpoint.replies.get(status)
  if (!reply) return [`${endpoint.operationId} does not declare status ${status}`]
  const label = `${endpoint.operationId} ${status}`
  const errors = reply.required
    .filter((name) => headers[name] === undefined)
    .map((name) => `${label}: header ${name} is missing`)
  const undeclared = Object.keys(headers).filter((name) => INTERFACE_HEADERS.has(name) && !reply.headers.includes(name))
  errors.push(...undeclared.map((name) => `${label}: does not declare the header ${name}`))
  const codes = reply.value['x-codes']
  const { code } = (body ?? {}) as { code?: string }
  if (codes && code !== undefined && !codes.includes(code)) errors.push(`${label}: does not declare the code ${code}`)
  if (status === 201 && headers.location !== undefined) errors.push(`${label}: must not have a Location header`)
  const content = reply.value.content ?? {}
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  if (!Object.keys(content).length)
    return type ? [...errors, `${label}: declares no body, but the reply has one of type ${type}`] : errors
  if (!content[type]) return [...errors, `${label}: does not declare ${type || 'a reply without a body'}`]
  if (!isJson(type) || !content[type].schema) return errors
  const validate = schemas.at(descendant(reply, 'content', type, 'schema').pointer)
  if (validate(body)) return errors
  return [
    ...errors,
    ...validate.errors!.map(({ instancePath, message }) => `${label}: ${instancePath || 'the body'} ${message}`),
  ]
}
