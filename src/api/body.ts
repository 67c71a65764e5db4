import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Context as Koa, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { misencoded, type Pairs, parseForm } from './pairs.ts'
import { type Refusal, refusals } from './refusal.ts'
import { findUnsound, unsound } from './soundness.ts'

/** The largest body that is read, in bytes after decompression. */
export const MAX_BODY = 10 * 1024 * 1024

/** The types that a body may have; which of them an operation takes stands in its contract. */
const FORM = 'application/x-www-form-urlencoded'
const READABLE = ['application/json', FORM, 'multipart/form-data', 'text/csv'] as const
type BodyType = (typeof READABLE)[number]

/** A body, read to its end: JSON as parsed, forms as pairs, CSV as text. `bytes` is its length before parsing. */
export interface Body {
  type: BodyType
  value: unknown
  bytes: number
}

const METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']

/** koa-body as a reader only: it inflates and limits. Its form parsers nest brackets, drop names and write files. */
const readBytes = koaBody({
  json: false,
  urlencoded: false,
  multipart: false,
  text: true,
  textTypes: [...READABLE],
  textLimit: MAX_BODY,
  // One character a byte: read as UTF-8, what is none would turn into U+FFFD and be stored.
  encoding: 'binary',
  parsedMethods: [...METHODS] as never[],
  onError: (error, ctx) => {
    // What is left of the body is let go by, or the caller would wait to send it instead of reading the answer.
    ctx.req.unpipe()
    ctx.req.resume()
    throw refusalOf(error)
  },
} as Parameters<typeof koaBody>[0])

const nothing = async () => {}

/** Koa middleware: leaves the parsed body in `ctx.request.body`, undefined where there is none. Throws {@link Refusal}s. */
export const readBody: Middleware = async (ctx, next) => {
  await takeBody(ctx)
  return next()
}

/**
 * Reads the body of a request, once: asked again it answers the same.
 * @returns undefined when there is none, whatever its Content-Type says
 * @throws {Refusal} 400 malformed, 413 too large, 415 of a type or encoding that nothing here reads
 */
export async function takeBody(ctx: Koa): Promise<Body | undefined> {
  ctx.state.body ??= read(ctx)
  const body = (await ctx.state.body) as Body | undefined
  ctx.request.body = body?.value as never
  return body
}

async function read(ctx: Koa): Promise<Body | undefined> {
  const { headers } = ctx.req
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] === undefined && !(length > 0)) return undefined
  if (length > MAX_BODY) throw refusals.bodyTooLarge(MAX_BODY)
  // Old clients send forms without saying so.
  headers['content-type'] ||= FORM
  const type = mediaType(headers['content-type'])
  const isPlain = length > 0 && headers['content-encoding'] === undefined && METHODS.includes(ctx.method)
  const bytes = isPlain ? await gather(ctx.req) : await inflate(ctx)
  if (!bytes.length) return undefined
  if (!isUtf8(bytes)) throw refusals.malformed('The body is not UTF-8.')
  const value =
    type === 'multipart/form-data'
      ? await parseMultipart(headers['content-type'], bytes)
      : parsers[type](bytes.toString('utf8'))
  return { type, value, bytes: bytes.length }
}

/** A body that came plain, of a known length: Node lets no more bytes through than were announced. */
const gather = (req: IncomingMessage): Promise<Buffer<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    const parts: Buffer<ArrayBuffer>[] = []
    req.on('data', (part) => parts.push(part))
    req.once('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)))
    req.once('error', () => reject(refusals.malformed(CUT_OFF)))
  })

async function inflate(ctx: Koa): Promise<Buffer<ArrayBuffer>> {
  await readBytes(ctx, nothing)
  return Buffer.from((ctx.request.body as string | undefined) ?? '', 'latin1')
}

const CUT_OFF = 'The body did not arrive whole.'

function mediaType(header: string): BodyType {
  const semicolon = header.indexOf(';')
  const name = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase()
  const type = READABLE.find((known) => known === name)
  if (!type) throw refusals.unsupportedMediaType(READABLE.slice(0, 3))
  return type
}

const parsers: Readonly<Record<Exclude<BodyType, 'multipart/form-data'>, (text: string) => unknown>> = {
  'application/json': (text) => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw refusals.malformed(`The body is not JSON: ${(error as Error).message}.`)
    }
    const fault = findUnsound(value)
    if (fault) throw refusals.invalid([fault])
    return value
  },
  'application/x-www-form-urlencoded': (text) => {
    const fault = misencoded(text)
    if (fault) throw refusals.invalid([fault])
    return sound(parseForm(text))
  },
  'text/csv': (text) => {
    const message = unsound(text)
    if (message) throw refusals.invalid([{ field: 'body', message }])
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  },
}

/**
 * RFC 7578, in memory: a file counts as its text. Nothing is written to disk, so nothing has to be deleted.
 * Parts are read as UTF-8, which the whole has been found to be.
 */
async function parseMultipart(type: string, bytes: Buffer<ArrayBuffer>): Promise<Pairs> {
  const body = new Response(bytes, { headers: { 'content-type': type } })
  const form = await body.formData().catch(() => {
    throw refusals.malformed('The body is not multipart form data with the boundary that its Content-Type names.')
  })
  const pairs: Pairs = Object.create(null)
  for (const [name, entry] of form) {
    const value = typeof entry === 'string' ? entry : await entry.text()
    const before = pairs[name]
    // In place: a copy for each of a hundred thousand parts would take minutes.
    if (Array.isArray(before)) before.push(value)
    else pairs[name] = before === undefined ? value : [before, value]
  }
  return sound(pairs)
}

/** Form values come out of UTF-8, which has no lone surrogates, but they may hold a NUL. */
function sound(pairs: Pairs): Pairs {
  for (const name in pairs) {
    const values = pairs[name]!
    const message = unsound(name) ?? (Array.isArray(values) ? values.map(unsound).find(Boolean) : unsound(values))
    if (message) throw refusals.invalid([{ field: name.replaceAll('\0', '\uFFFD'), message }])
  }
  return pairs
}

/** What raw-body, inflation and zlib throw, in our words. Nothing of ours runs while a body is read: the fault is the body's. */
function refusalOf(error: Error & { status?: number; type?: string }): Refusal {
  if (error.type === 'entity.too.large') return refusals.bodyTooLarge(MAX_BODY)
  if (error.status === 415) return refusals.unsupportedEncoding()
  if (error.status === 400) return refusals.malformed(CUT_OFF)
  return refusals.malformed('The body cannot be decompressed.')
}
