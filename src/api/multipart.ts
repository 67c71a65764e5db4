import { MIMEType } from 'node:util'
import { MAX_FIELDS, type Pairs, sound } from './pairs.ts'
import { refusals } from './refusal.ts'

/** RFC 2046, 5.1.1. A longer one would make looking for it slow. */
const LONGEST_BOUNDARY = 70

/**
 * RFC 7578, in memory: a file counts as its text. Nothing is written to disk, so nothing has to be deleted.
 * Parts are read as UTF-8, which the whole has been found to be.
 * @throws {Refusal} 400 malformed, 413 for too many parts
 */
export async function parseMultipart(type: string, bytes: Buffer<ArrayBuffer>): Promise<Pairs> {
  const boundary = boundaryIn(type)
  if (!boundary || boundary.length > LONGEST_BOUNDARY) throw malformed()
  // Before any is read: the parser reads them all in one go.
  if (hasManyParts(bytes, boundary)) throw refusals.tooManyFields(MAX_FIELDS)
  const mime = new MIMEType('multipart/form-data')
  mime.params.set('boundary', boundary)
  const form = await new Response(bytes, { headers: { 'content-type': String(mime) } }).formData().catch(() => {
    throw malformed()
  })
  const pairs: Pairs = Object.create(null)
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
  refusals.malformed('The body is not multipart form data with the boundary that its Content-Type names.')

function boundaryIn(type: string): string | null {
  try {
    return new MIMEType(type).params.get('boundary')
  } catch {
    return null
  }
}

/** A part begins with a line that the boundary begins, and such a line ends the last. */
function hasManyParts(bytes: Buffer, boundary: string): boolean {
  const line = Buffer.from(`--${boundary}`)
  let parts = -1
  for (let at = bytes.indexOf(line); at >= 0 && parts <= MAX_FIELDS; at = bytes.indexOf(line, at + line.length)) parts++
  return parts > MAX_FIELDS
}
