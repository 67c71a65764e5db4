import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import type { Context as Koa, Middleware } from 'koa'
import type { FieldError } from '../../domain/field-error.ts'
import { decodeText } from '../../lib/text-encoding.ts'
import { XLSX_TYPE } from '../../lib/xlsx/media-type.ts'
import { countFields, type FormParams, findInvalidEncoding, findUnsafeField, MAX_FIELDS, parseForm } from './form.ts'
import { type HttpError, httpErrors } from './http-error.ts'
import { characterError, findUnsafe, parseUncheckedJson } from './text-safety.ts'

/** The maximum size of a body, after decompression. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024

/**
 * The maximum size of a body of an unauthenticated request. Such a body contains, for example, credentials, a code and
 * URLs of 2,000 characters.
 */
export const MAX_ANONYMOUS_BODY_BYTES = 64 * 1024

const FORM = 'application/x-www-form-urlencoded'
/** The media types whose body is read as bytes: Excel workbooks, and files of any type. */
const BINARY = [XLSX_TYPE, 'application/octet-stream'] as const
/** The supported types of a body; the contract lists the types that each operation accepts. */
const READABLE = ['application/json', FORM, 'multipart/form-data', 'text/csv', ...BINARY] as const
type BodyType = (typeof READABLE)[number]

const isBinary = (type: BodyType): type is (typeof BINARY)[number] => (BINARY as readonly string[]).includes(type)

/**
 * A parsed body: a JSON value, the fields of a form, the text of a CSV file, the bytes of a workbook, or another file.
 */
export interface Body {
  type: BodyType
  value: unknown
  /** The size before parsing, in bytes. */
  bytes: number
  /**
   * The error of the first value that the service cannot process. The check of the request disregards it if the value
   * is in a member that is ignored.
   */
  unsafe?: FieldError
}

const METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']

/** The limits of a body; by default all {@link READABLE} types up to {@link MAX_BODY_BYTES}. */
interface BodyLimits {
  /** The maximum size after decompression. */
  maxBytes?: number
  types?: readonly BodyType[]
  /**
   * How the content of a file in a multipart body becomes text: decoded as UTF-8 (`text`, the default; images become
   * data URLs), or encoded as Base64 (`base64`), which allows any content.
   */
  files?: 'text' | 'base64'
}

/**
 * Returns koa-body configured to decompress a body and to limit its size. The form parsers of koa-body are not used:
 * they convert brackets in names to nested objects, drop some names and write files.
 */
async function inflatingReader(maxBytes: number): Promise<Middleware> {
  const { koaBody } = await import('koa-body')
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: [...READABLE],
    textLimit: maxBytes,
    // Decodes each byte to one character, because decoding as UTF-8 would replace invalid bytes with U+FFFD.
    encoding: 'binary',
    parsedMethods: [...METHODS] as never[],
    onError: (error, ctx) => {
      // Receives and discards the rest of the body, because a client does not read the reply while it is still sending.
      ctx.req.unpipe()
      ctx.req.resume()
      throw httpErrorOf(error, maxBytes)
    },
  } as Parameters<typeof koaBody>[0])
}

/** The body readers, by the maximum size that they accept. */
const readers = new Map<number, Middleware>()

const noop = async () => {}

/**
 * Reads the form that a page sends, with {@link readBody}.
 * @param files how to read files; if it is undefined, multipart bodies are rejected, because parsing them is expensive
 * @returns the fields of the form; undefined without a body
 */
export async function readForm(ctx: Koa, maxBytes: number, files?: 'text' | 'base64'): Promise<unknown> {
  const types: BodyType[] = files ? [FORM, 'multipart/form-data'] : [FORM]
  return safeValue(await readBody(ctx, { maxBytes, types, ...(files && { files }) }))
}

/** Stores the parsed body in `ctx.request.body`, as Koa middleware; undefined without a body. */
export const readAnonymous: Middleware = async (ctx, next) => {
  safeValue(await readBody(ctx, { maxBytes: MAX_ANONYMOUS_BODY_BYTES }))
  return next()
}

/** @throws {HttpError} 400 for a value that the service cannot process */
function safeValue(body: Body | undefined): unknown {
  if (body?.unsafe) throw httpErrors.invalid([body.unsafe])
  return body?.value
}

/**
 * Reads the body of a request once; later calls return the same body.
 * @returns undefined without a body, even if the request has a Content-Type
 * @throws {HttpError} 400 malformed, 413 too large, 415 unsupported type or encoding
 */
export async function readBody(ctx: Koa, limits: BodyLimits = {}): Promise<Body | undefined> {
  ctx.state.body ??= read(ctx, limits)
  const body = (await ctx.state.body) as Body | undefined
  ctx.request.body = body?.value as never
  return body
}

async function read(
  ctx: Koa,
  { maxBytes = MAX_BODY_BYTES, types = READABLE, files = 'text' }: BodyLimits,
): Promise<Body | undefined> {
  const { headers } = ctx.req
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] === undefined && !(length > 0)) return undefined
  if (length > maxBytes) throw httpErrors.bodyTooLarge(maxBytes)
  // Old clients send forms without a Content-Type.
  headers['content-type'] ||= FORM
  const type = mediaType(headers['content-type'], types)
  const isPlain = length > 0 && headers['content-encoding'] === undefined && METHODS.includes(ctx.method)
  const received = isPlain ? await readPlainBody(ctx.req) : await readInflatedBody(ctx, maxBytes)
  if (!received.length) return undefined
  if (isBinary(type)) return { type, value: received, bytes: received.length }
  const bytes = isWindows1252(headers['content-type'])
    ? decodeWindows1252(received, type === FORM)
    : type === 'text/csv' && !DECLARES_UTF_8.test(headers['content-type'])
      ? csvBytes(received)
      : received
  // Files of multipart form data can contain any bytes; `parseMultipart` checks the encoding of the text fields.
  if (type !== 'multipart/form-data' && !isUtf8(bytes)) throw httpErrors.malformed('The body is not UTF-8.')
  const value =
    type === 'multipart/form-data'
      ? await parseMultipart(headers['content-type'], bytes, files)
      : parsers[type](bytes.toString('utf8'))
  const unsafe = unsafeIn(type, value)
  return { type, value, bytes: bytes.length, ...(unsafe && { unsafe }) }
}

const DECLARES_UTF_8 = /;\s*charset\s*=\s*"?utf-?8/i

/** Converts a CSV file without a declared encoding to UTF-8. */
function csvBytes(received: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  if (isUtf8(received)) return received
  const text = decodeText(received)
  if (text === undefined) throw httpErrors.malformed('The body is not in the encoding of its byte order mark.')
  return Buffer.from(text)
}

/** Reads an uncompressed body with a Content-Length. Node.js limits the body to this length. */
const readPlainBody = (req: IncomingMessage): Promise<Buffer<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    // A request that is already destroyed emits no more events, so waiting for its end would never finish.
    if (req.destroyed) return reject(httpErrors.malformed(INCOMPLETE_BODY))
    const chunks: Buffer<ArrayBuffer>[] = []
    req.on('data', (chunk) => chunks.push(chunk))
    req.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    req.once('error', () => reject(httpErrors.malformed(INCOMPLETE_BODY)))
  })

async function readInflatedBody(ctx: Koa, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const reader = readers.get(maxBytes) ?? (await inflatingReader(maxBytes))
  readers.set(maxBytes, reader)
  if (ctx.req.destroyed) throw httpErrors.malformed(INCOMPLETE_BODY)
  await reader(ctx, noop)
  return Buffer.from((ctx.request.body as string | undefined) ?? '', 'latin1')
}

const INCOMPLETE_BODY = 'The request body is incomplete.'

function mediaType(header: string, types: readonly BodyType[]): BodyType {
  const semicolon = header.indexOf(';')
  const name = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase()
  const type = types.find((accepted) => accepted === name)
  if (!type) throw httpErrors.unsupportedMediaType(types.slice(0, 3))
  return type
}

/** Removes a UTF-8 byte order mark. */
const withoutByteOrderMark = (text: string) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

const parsers: Readonly<
  Record<Exclude<BodyType, 'multipart/form-data' | (typeof BINARY)[number]>, (text: string) => unknown>
> = {
  'application/json': (text) => parseUncheckedJson(withoutByteOrderMark(text)),
  'application/x-www-form-urlencoded': (text) => {
    if (countFields(text, MAX_FIELDS) > MAX_FIELDS) throw httpErrors.tooManyFields(MAX_FIELDS)
    const error = findInvalidEncoding(text)
    if (error) throw httpErrors.invalid([error])
    return parseForm(text)
  },
  'text/csv': withoutByteOrderMark,
}

/** Returns the error of the first value that the service cannot process, if any. */
export function unsafeIn(type: BodyType, value: unknown): FieldError | undefined {
  if (type === 'application/json') return findUnsafe(value)
  if (type !== 'text/csv') return findUnsafeField(value as FormParams)
  const error = characterError(value as string)
  return error && { field: 'body', ...error }
}

/**
 * Translates an error of the packages `raw-body` and `inflation` or of zlib. All these errors mean that the body is
 * invalid.
 */
function httpErrorOf(error: Error & { status?: number; type?: string }, maxBytes: number): HttpError {
  if (error.type === 'entity.too.large') return httpErrors.bodyTooLarge(maxBytes)
  if (error.status === 415) return httpErrors.unsupportedEncoding()
  if (error.status === 400) return httpErrors.malformed(INCOMPLETE_BODY)
  return httpErrors.malformed('The body cannot be decompressed.')
}

/** The limit of RFC 2046, 5.1.1. Searching for a longer boundary would be slow. */
const MAX_BOUNDARY_LENGTH = 70

/**
 * Parses multipart form data (RFC 7578) in memory.
 * @param files `text`: files become text, but images become data URLs (RFC 2397); `base64`: all files become Base64
 * @throws {HttpError} 400 malformed or not UTF-8, 413 too many parts
 */
async function parseMultipart(
  type: string,
  bytes: Buffer<ArrayBuffer>,
  files: 'text' | 'base64' = 'text',
): Promise<FormParams> {
  const boundary = boundaryIn(type)
  if (!boundary || boundary.length > MAX_BOUNDARY_LENGTH) throw malformed()
  assertPartLimits(bytes, boundary)
  const mime = new MIMEType('multipart/form-data')
  mime.params.set('boundary', boundary)
  const form = await new Response(bytes, { headers: { 'content-type': String(mime) } }).formData().catch(() => {
    throw malformed()
  })
  const isText = isUtf8(bytes)
  const fields: FormParams = Object.create(null)
  for (const [name, entry] of form) {
    const value = typeof entry === 'string' ? entry : await contentOf(entry, files)
    // The parser would replace bytes that are not UTF-8 without an error.
    if (!isText && files === 'text' && typeof entry === 'string' && entry.includes('\uFFFD')) throw notUtf8()
    const previous = fields[name]
    // The list is changed in place, because copying it for each of 20,000 values would take seconds.
    if (Array.isArray(previous)) previous.push(value)
    else fields[name] = previous === undefined ? value : [previous, value]
  }
  return fields
}

async function contentOf(file: File, files: 'text' | 'base64'): Promise<string> {
  const bytes = Buffer.from(await file.arrayBuffer())
  if (files === 'base64') return bytes.toString('base64')
  if (file.type.startsWith('image/'))
    return bytes.length > 0 ? `data:${file.type};base64,${bytes.toString('base64')}` : ''
  if (!isUtf8(bytes)) throw notUtf8()
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

const notUtf8 = () => httpErrors.malformed('The body is not UTF-8.')

const malformed = () =>
  httpErrors.malformed('The body is not multipart form data with the boundary of its Content-Type.')

function boundaryIn(type: string): string | null {
  try {
    return new MIMEType(type).params.get('boundary')
  } catch {
    return null
  }
}

/** The maximum size in bytes of the headers of a part. Node.js has the same limit for the headers of a request. */
const MAX_PART_HEADER_BYTES = 16 * 1024

/**
 * Checks the number of parts and the size of their headers before parsing. A boundary precedes every part and follows
 * the last one.
 * @throws {HttpError} 413 for too many parts, 400 for headers that are too long
 */
function assertPartLimits(bytes: Buffer, boundary: string): void {
  const line = Buffer.from(`--${boundary}`)
  let parts = -1
  for (let at = bytes.indexOf(line); at >= 0; at = bytes.indexOf(line, at + line.length)) {
    if (++parts > MAX_FIELDS) throw httpErrors.tooManyFields(MAX_FIELDS)
    const isNearEnd = bytes.length - at < MAX_PART_HEADER_BYTES
    if (!isNearEnd && !bytes.subarray(at, at + MAX_PART_HEADER_BYTES).includes('\r\n\r\n')) throw malformed()
  }
}

/** Names of windows-1252 in a Content-Type (WHATWG Encoding, 4.2); browsers and PHP use all of them. */
const CHARSET = /;\s*charset\s*=\s*"?(?:iso-?8859-1|latin-?1|windows-1252|cp1252)"?\s*(?:;|$)/i

/** Returns whether a Content-Type names the character set windows-1252. */
const isWindows1252 = (contentType: string): boolean => CHARSET.test(contentType)

const decoder = new TextDecoder('windows-1252')

/** Matches a sequence of non-ASCII bytes in a form, percent-encoded or not. */
const BEYOND_ASCII = /(?:%[89a-f][\da-f]|[\u0080-\u00ff])+/gi

/**
 * Converts a body from windows-1252 to UTF-8.
 * @param isForm whether to convert percent-encoded bytes as well
 */
function decodeWindows1252(bytes: Buffer<ArrayBuffer>, isForm: boolean): Buffer<ArrayBuffer> {
  if (!isForm) return Buffer.from(decoder.decode(bytes))
  return Buffer.from(bytes.toString('latin1').replace(BEYOND_ASCII, encodeAsUtf8))
}

const encodeAsUtf8 = (run: string): string =>
  encodeURIComponent(
    decoder.decode(
      Buffer.from(
        run.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ),
    ),
  )
