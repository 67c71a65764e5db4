/** A part of a file; `end` is the position after its last byte. */
export interface ByteRange {
  start: number
  end: number
}

/** Returns the bytes of a range of a stream. */
export async function* sliceOf(content: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0
  for await (const chunk of content) {
    const part = chunk.subarray(Math.max(start - at, 0), Math.max(end - at, 0))
    at += chunk.length
    if (part.length) yield part
    if (at >= end) return
  }
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
