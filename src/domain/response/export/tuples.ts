/** "PGCOPY\n\377\r\n\0", then flags and the length of an extension, four bytes each. */
const SIGNATURE = 11
const HEADER = SIGNATURE + 8

/**
 * Cuts the stream of `COPY … (FORMAT binary)` into rows: after a header each row is the number of its fields (int16),
 * then for each its length (int32, -1 for null) and its bytes; -1 fields end it (PostgreSQL manual, COPY, "Binary
 * Format"). Nothing in it is escaped, so text and jsonb arrive as they are.
 */
export class Tuples {
  /** Where the fields of the current row are in its bytes; `start` is -1 for null. */
  readonly start: Int32Array
  readonly end: Int32Array
  readonly #fields: number
  #rest: Buffer | undefined
  #begun = false
  /** True once the mark of the end has come. */
  ended = false

  constructor(fields: number) {
    this.#fields = fields
    this.start = new Int32Array(fields)
    this.end = new Int32Array(fields)
  }

  /** Takes the next piece of the stream and calls `row` for every row that is complete, with `start` and `end` set. */
  read(piece: Buffer, row: (bytes: Buffer, length: number) => void): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, piece]) : piece
    this.#rest = undefined
    let at = 0
    if (!this.#begun) {
      if (bytes.length < HEADER) {
        this.#rest = bytes
        return
      }
      at = HEADER + bytes.readUInt32BE(HEADER - 4)
      this.#begun = true
    }
    for (let next = this.#row(bytes, at); next !== -1; next = this.#row(bytes, at)) {
      row(bytes, next - at)
      at = next
    }
    if (at < bytes.length && !this.ended) this.#rest = bytes.subarray(at)
  }

  /** Finds the fields of the row at `at`; the position behind it, or -1 when it is not all there or there is none. */
  #row(bytes: Buffer, at: number): number {
    const { length } = bytes
    if (at + 2 > length) return -1
    const fields = (bytes[at]! << 8) | bytes[at + 1]!
    if (fields === 0xffff) this.ended = true
    if (this.ended) return -1
    if (fields !== this.#fields) throw new Error(`COPY sent a row of ${fields} fields instead of ${this.#fields}`)
    let p = at + 2
    for (let field = 0; field < fields; field += 1) {
      if (p + 4 > length) return -1
      const size = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!
      p += 4
      this.start[field] = size === -1 ? -1 : p
      if (size > 0) p += size
      this.end[field] = p
    }
    return p > length ? -1 : p
  }
}
