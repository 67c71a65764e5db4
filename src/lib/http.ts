import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Context } from 'koa'

/** What proxies add to an ETag when they compress a reply: `"tag-gzip"` (Apache, Caddy), `"tag--gzip"` (Jetty). */
const COMPRESSION_SUFFIX = /^(?:--?|[;:])(?:x-)?(?:gzip|br|zstd|deflate)"$/

/**
 * Returns whether a list of ETags contains this ETag (RFC 9110, 8.8.3.2, weak comparison). Proxies that compress a reply
 * mark its ETag as weak or add the name of the compression; both are ignored.
 */
export const hasTag = (header: string, etag: string): boolean => {
  const start = etag.slice(0, -1)
  return header.split(',').some((listed) => {
    const tag = listed.trim().replace(/^W\//i, '')
    // What follows this ETag is examined, because the ETag may end with a hyphen or like the name of a compression.
    return tag === '*' || tag === etag || (tag.startsWith(start) && COMPRESSION_SUFFIX.test(tag.slice(start.length)))
  })
}

/** A part of a file; `end` is the position after its last byte. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Returns the bytes of a range of a stream: never more, because a reply has a Content-Length.
 * @throws Error if the stream ends before the range
 */
export async function* sliceOf(content: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0
  for await (const chunk of content) {
    const part = chunk.subarray(Math.max(start - at, 0), Math.max(end - at, 0))
    at += chunk.length
    if (part.length) yield part
    if (at >= end) return
  }
  throw new Error(`The content has ${at} bytes instead of at least ${end}.`)
}

/** A Range field with one range of bytes (RFC 9110, 14.1.2): `bytes=500-`, `bytes=0-499`, `bytes=-500`. */
const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/**
 * Parses a Range field. Several ranges, another unit and a malformed field are ignored, as RFC 9110, 14.2 allows.
 * @returns undefined if the field is ignored; otherwise a function that takes the length of a file in bytes and returns
 *   the range, or undefined if the range begins after the end of the file
 */
export function parseRange(field: string): ((length: number) => ByteRange | undefined) | undefined {
  const [, first, last] = SINGLE_RANGE.exec(field) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined
  return (length) => {
    const start = first === '' ? Math.max(length - Number(last), 0) : Number(first)
    const end = first === '' || last === '' ? length : Math.min(Number(last) + 1, length)
    return start < end ? { start, end } : undefined
  }
}

/** Returns whether `If-Range` is absent or contains this ETag. Weak ETags and dates never match (RFC 9110, 13.1.5). */
export const isCurrent = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag

/** The header fields of a request that select a part of a file. */
interface RangeFields {
  range?: string | undefined
  'if-range'?: string | undefined
  'if-none-match'?: string | undefined
}

/** The reply to a request for a file. */
interface FileSelection {
  /** 304: the client has the file; 416: the range begins after the end of the file. */
  status: 200 | 206 | 304 | 416
  /** The part to send; absent: the whole file. */
  range?: ByteRange
  headers: { ETag: string; 'Accept-Ranges': 'bytes'; 'Content-Length'?: string; 'Content-Range'?: string }
}

/**
 * Selects what to send of a file (RFC 9110, 13 and 14).
 * @param length of the file in bytes
 */
export function selectPart(length: number, etag: string, fields: RangeFields): FileSelection {
  const headers = { ETag: etag, 'Accept-Ranges': 'bytes' } as const
  if (hasTag(fields['if-none-match'] ?? '', etag)) return { status: 304, headers }
  const select = isCurrent(fields['if-range'], etag) ? parseRange(fields.range ?? '') : undefined
  if (!select) return { status: 200, headers: { ...headers, 'Content-Length': String(length) } }
  const range = select(length)
  if (!range) return { status: 416, headers: { ...headers, 'Content-Range': `bytes */${length}` } }
  const { start, end } = range
  return {
    status: 206,
    range,
    headers: {
      ...headers,
      'Content-Length': String(end - start),
      'Content-Range': `bytes ${start}-${end - 1}/${length}`,
    },
  }
}

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

/**
 * Returns the `Link` header of an index (RFC 8631).
 * @param version such as `v3`
 */
export const descriptionLink = (baseUrl: string, version: string): string =>
  `<${baseUrl}/openapi/${version}.json>; rel="service-desc"; type="application/json", ` +
  `<${baseUrl}/docs/${version}/>; rel="service-doc"; type="text/html"`

/** Returns the operation of a contract, or the name of the page, that answered a request; `none` if neither did. */
export function operationName(ctx: Context): string {
  const { operation } = ctx.state
  return typeof operation === 'string' ? operation : (operation?.operationId ?? 'none')
}
