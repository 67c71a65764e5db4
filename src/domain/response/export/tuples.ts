/** "PGCOPY\n\377\r\n\0", then flags and the length of an extension, four bytes each. */
const SIGNATURE = 11
const HEADER = SIGNATURE + 8

/**
 * Splits the stream of `COPY … (FORMAT binary)` into rows. After a header each row has the number of its fields (int16),
 * then for each field its length (int32, -1 for null) and its bytes; -1 fields end the stream (PostgreSQL manual, COPY,
 * "Binary Format"). Nothing is escaped.
 */
export class Tuples {
  /** Positions of the fields of the current row; `start` is -1 for null. */
  readonly start: Int32Array
  readonly end: Int32Array
  readonly #fields: number
  /** Bytes of incomplete rows, in one buffer that is reused: chunks end anywhere, and garbage costs memory. */
  #work = Buffer.allocUnsafeSlow(64 * 1024)
  #held = 0
  #begun = false
  /** Whether the end of the stream has been read. */
  ended = false

  constructor(fields: number) {
    this.#fields = fields
    this.start = new Int32Array(fields)
    this.end = new Int32Array(fields)
  }

  /**
   * Reads the next chunk of the stream and calls `row` for every complete row, with `start` and `end` set. The bytes are
   * valid until `row` returns.
   */
  read(chunk: Buffer, row: (bytes: Buffer, length: number) => void): void {
    const bytes = this.#append(chunk)
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

  #append(chunk: Buffer): Buffer {
    const length = this.#held + chunk.length
    if (length > this.#work.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#work.length))
      this.#work.copy(larger, 0, 0, this.#held)
      this.#work = larger
    }
    this.#work.set(chunk, this.#held)
    this.#held = length
    return this.#work
  }

  /** Finds the fields of the row at `at`. @returns the position after it; -1 if it is incomplete or absent */
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
