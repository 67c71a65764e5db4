import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import { type FormParams, MAX_FIELDS } from './form-encoding.ts'
import { httpErrors } from './http-error.ts'

/** The limit of RFC 2046, 5.1.1. Searching for a longer boundary would be slow. */
const MAX_BOUNDARY_LENGTH = 70

/**
 * Parses multipart form data (RFC 7578) in memory.
 * @param files `text`: files become text, but images become data URLs (RFC 2397); `base64`: all files become Base64
 * @throws {HttpError} 400 malformed or not UTF-8, 413 too many parts
 */
export async function parseMultipart(
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
