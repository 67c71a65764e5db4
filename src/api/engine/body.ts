import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Context as Koa, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { isWestern, western } from '../western.ts'
import { countPairs, MAX_FIELDS, misencoded, parseForm, sound } from './form-encoding.ts'
import { type HttpError, httpErrors } from './http-error.ts'
import { parseMultipart } from './multipart.ts'
import { characterError, parseJson } from './text-safety.ts'

/** The largest body that is read, in bytes after decompression. */
export const MAX_BODY = 10 * 1024 * 1024

/** The largest body of somebody who need not say who it is: credentials, a code, addresses of 2,000 characters. */
export const MAX_ANONYMOUS = 64 * 1024

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

/** What may be sent; by default everything that is {@link READABLE}, up to {@link MAX_BODY}. */
export interface Allowance {
  /** In bytes after decompression. */
  largest?: number
  types?: readonly BodyType[]
}

/** koa-body as a reader only: it inflates and limits. Its form parsers nest brackets, drop names and write files. */
const readerOf = (largest: number) =>
  koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: [...READABLE],
    textLimit: largest,
    // One character a byte: read as UTF-8, what is none would turn into U+FFFD and be stored.
    encoding: 'binary',
    parsedMethods: [...METHODS] as never[],
    onError: (error, ctx) => {
      // What is left of the body is let go by, or the caller would wait to send it instead of reading the answer.
      ctx.req.unpipe()
      ctx.req.resume()
      throw refusalOf(error, largest)
    },
  } as Parameters<typeof koaBody>[0])

/** One reader for each size that is asked for, of which there are a few. */
const readers = new Map<number, Middleware>()

const nothing = async () => {}

/**
 * Reads a form that somebody sends from a page, as {@link takeBody}.
 * @param withFiles whether it may be multipart, which takes longer to read than it takes to send
 * @returns its fields; undefined when there is none
 */
export async function readForm(ctx: Koa, largest: number, withFiles = false): Promise<unknown> {
  return (await takeBody(ctx, { largest, types: withFiles ? [FORM, 'multipart/form-data'] : [FORM] }))?.value
}

/** Koa middleware: leaves the parsed body in `ctx.request.body`, undefined where there is none. Throws {@link HttpError}s. */
export const readAnonymous: Middleware = async (ctx, next) => {
  await takeBody(ctx, { largest: MAX_ANONYMOUS })
  return next()
}

/**
 * Reads the body of a request, once: asked again it answers the same.
 * @returns undefined when there is none, whatever its Content-Type says
 * @throws {HttpError} 400 malformed, 413 too large, 415 of a type or encoding that nothing here reads
 */
export async function takeBody(ctx: Koa, allowance: Allowance = {}): Promise<Body | undefined> {
  ctx.state.body ??= read(ctx, allowance)
  const body = (await ctx.state.body) as Body | undefined
  ctx.request.body = body?.value as never
  return body
}

async function read(ctx: Koa, { largest = MAX_BODY, types = READABLE }: Allowance): Promise<Body | undefined> {
  const { headers } = ctx.req
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] === undefined && !(length > 0)) return undefined
  if (length > largest) throw httpErrors.bodyTooLarge(largest)
  // Old clients send forms without saying so.
  headers['content-type'] ||= FORM
  const type = mediaType(headers['content-type'], types)
  const isPlain = length > 0 && headers['content-encoding'] === undefined && METHODS.includes(ctx.method)
  const sent = isPlain ? await gather(ctx.req) : await inflate(ctx, largest)
  if (!sent.length) return undefined
  const bytes = isWestern(headers['content-type']) ? western(sent, type === FORM) : sent
  if (!isUtf8(bytes)) throw httpErrors.malformed('The body is not UTF-8.')
  const value =
    type === 'multipart/form-data'
      ? await parseMultipart(headers['content-type'], bytes)
      : parsers[type](bytes.toString('utf8'))
  return { type, value, bytes: bytes.length }
}

/** A body that came plain, of a known length: Node lets no more bytes through than were announced. */
const gather = (req: IncomingMessage): Promise<Buffer<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    // Of a caller who hung up before anybody listened, nothing more is heard.
    if (req.destroyed) return reject(httpErrors.malformed(CUT_OFF))
    const parts: Buffer<ArrayBuffer>[] = []
    req.on('data', (part) => parts.push(part))
    req.once('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)))
    req.once('error', () => reject(httpErrors.malformed(CUT_OFF)))
  })

async function inflate(ctx: Koa, largest: number): Promise<Buffer<ArrayBuffer>> {
  const reader = readers.get(largest) ?? readerOf(largest)
  readers.set(largest, reader)
  await reader(ctx, nothing)
  return Buffer.from((ctx.request.body as string | undefined) ?? '', 'latin1')
}

const CUT_OFF = 'The body did not arrive whole.'

function mediaType(header: string, types: readonly BodyType[]): BodyType {
  const semicolon = header.indexOf(';')
  const name = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase()
  const type = types.find((known) => known === name)
  if (!type) throw httpErrors.unsupportedMediaType(types.slice(0, 3))
  return type
}

const parsers: Readonly<Record<Exclude<BodyType, 'multipart/form-data'>, (text: string) => unknown>> = {
  'application/json': (text) => parseJson(withoutMark(text)),
  'application/x-www-form-urlencoded': (text) => {
    if (countPairs(text, MAX_FIELDS) > MAX_FIELDS) throw httpErrors.tooManyFields(MAX_FIELDS)
    const error = misencoded(text)
    if (error) throw httpErrors.invalid([error])
    return sound(parseForm(text))
  },
  'text/csv': (text) => {
    const error = characterError(text)
    if (error) throw httpErrors.invalid([{ field: 'body', ...error }])
    return withoutMark(text)
  },
}

/** Some writers of UTF-8 begin with a byte order mark. */
const withoutMark = (text: string) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/** What raw-body, inflation and zlib throw, in our words. Nothing of ours runs while a body is read: the fault is the body's. */
function refusalOf(error: Error & { status?: number; type?: string }, largest: number): HttpError {
  if (error.type === 'entity.too.large') return httpErrors.bodyTooLarge(largest)
  if (error.status === 415) return httpErrors.unsupportedEncoding()
  if (error.status === 400) return httpErrors.malformed(CUT_OFF)
  return httpErrors.malformed('The body cannot be decompressed.')
}
