import { MIMEType } from 'node:util'
import { type FormParams, MAX_FIELDS, sound } from './form-encoding.ts'
import { httpErrors } from './http-error.ts'

/** RFC 2046, 5.1.1. A longer one would make looking for it slow. */
const LONGEST_BOUNDARY = 70

/**
 * RFC 7578, in memory: a file counts as its text. Nothing is written to disk, so nothing has to be deleted.
 * Parts are read as UTF-8, which the whole has been found to be.
 * @throws {Refusal} 400 malformed, 413 for too many parts
 */
export async function parseMultipart(type: string, bytes: Buffer<ArrayBuffer>): Promise<FormParams> {
  const boundary = boundaryIn(type)
  if (!boundary || boundary.length > LONGEST_BOUNDARY) throw malformed()
  assertModest(bytes, boundary)
  const mime = new MIMEType('multipart/form-data')
  mime.params.set('boundary', boundary)
  const form = await new Response(bytes, { headers: { 'content-type': String(mime) } }).formData().catch(() => {
    throw malformed()
  })
  const pairs: FormParams = Object.create(null)
  for (const [name, entry] of form) {
    const value = typeof entry === 'string' ? entry : await entry.text()
    const before = pairs[name]
    // In place: a copy for each of twenty thousand parts would take seconds.
    if (Array.isArray(before)) before.push(value)
    else pairs[name] = before === undefined ? value : [before, value]
  }
  return sound(pairs)
}

const malformed = () =>
  httpErrors.malformed('The body is not multipart form data with the boundary that its Content-Type names.')

function boundaryIn(type: string): string | null {
  try {
    return new MIMEType(type).params.get('boundary')
  } catch {
    return null
  }
}

/** What Node lets the headers of a whole request have; those of a part name a field and a file. */
const LONGEST_HEADERS = 16 * 1024

/**
 * Looks at the parts before they are parsed, all in one go: each begins with a line that the boundary begins, and such a
 * line ends the last.
 * @throws {Refusal} 413 for too many, 400 for one with endless headers
 */
function assertModest(bytes: Buffer, boundary: string): void {
  const line = Buffer.from(`--${boundary}`)
  let fields = -1
  for (let at = bytes.indexOf(line); at >= 0; at = bytes.indexOf(line, at + line.length)) {
    if (++fields > MAX_FIELDS) throw httpErrors.tooManyFields(MAX_FIELDS)
    const isLast = bytes.length - at < LONGEST_HEADERS
    if (!isLast && !bytes.subarray(at, at + LONGEST_HEADERS).includes('\r\n\r\n')) throw malformed()
  }
}
