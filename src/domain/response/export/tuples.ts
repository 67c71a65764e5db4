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
  /** What was read and not yet handed on, in one buffer that is used again: rows are cut anywhere, and garbage costs memory. */
  #work = Buffer.allocUnsafeSlow(64 * 1024)
  #held = 0
  #begun = false
  /** True once the mark of the end has come. */
  ended = false

  constructor(fields: number) {
    this.#fields = fields
    this.start = new Int32Array(fields)
    this.end = new Int32Array(fields)
  }

  /**
   * Takes the next piece of the stream and calls `row` for every row that is complete, with `start` and `end` set. The
   * bytes are only good until `row` returns.
   */
  read(piece: Buffer, row: (bytes: Buffer, length: number) => void): void {
    const bytes = this.#append(piece)
    let at = 0
    if (!this.#begun) {
      if (this.#held < HEADER) return
      at = HEADER + bytes.readUInt32BE(HEADER - 4)
      this.#begun = true
    }
    for (let next = this.#row(bytes, at); next !== -1; next = this.#row(bytes, at)) {
      row(bytes, next - at)
      at = next
    }
    bytes.copyWithin(0, at, this.#held)
    this.#held -= at
  }

  #append(piece: Buffer): Buffer {
    const length = this.#held + piece.length
    if (length > this.#work.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#work.length))
      this.#work.copy(larger, 0, 0, this.#held)
      this.#work = larger
    }
    this.#work.set(piece, this.#held)
    this.#held = length
    return this.#work
  }

  /** Finds the fields of the row at `at`; the position behind it, or -1 when it is not all there or there is none. */
  #row(bytes: Buffer, at: number): number {
    const length = this.#held
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
