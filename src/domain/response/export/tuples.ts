/**
 * The header of the stream: the signature "PGCOPY\n\377\r\n\0", the flags (four bytes) and the length of an extension
 * (four bytes).
 */
const SIGNATURE_BYTES = 11
const HEADER_BYTES = SIGNATURE_BYTES + 8

/**
 * Splits the stream of `COPY … (FORMAT binary)` into rows. After a header, each row consists of the number of its
 * fields (int16) and, for each field, its length (int32, -1 for null) and its bytes. A row with -1 fields ends the
 * stream (PostgreSQL manual, COPY, "Binary Format"). Bytes are not escaped.
 */
export class Tuples {
  /** Positions of the fields of the current row; `start` is -1 for null. */
  readonly start: Int32Array
  readonly end: Int32Array
  readonly #fields: number
  /**
   * The bytes of a row whose end has not arrived yet, because a chunk can end in the middle of a row. The buffer is
   * reused, to avoid garbage collection.
   */
  #buffer = Buffer.allocUnsafeSlow(64 * 1024)
  #bufferedBytes = 0
  #isHeaderRead = false
  /** Whether the end of the stream has been read. */
  ended = false

  constructor(fields: number) {
    this.#fields = fields
    this.start = new Int32Array(fields)
    this.end = new Int32Array(fields)
  }

  /**
   * Reads the next chunk of the stream. Calls `onRow` for every complete row, with `start` and `end` set; the bytes are
   * valid until `onRow` returns.
   */
  read(chunk: Buffer, onRow: (bytes: Buffer, length: number) => void): void {
    const bytes = this.#append(chunk)
    let at = 0
    if (!this.#isHeaderRead) {
      if (this.#bufferedBytes < HEADER_BYTES) return
      at = HEADER_BYTES + bytes.readUInt32BE(HEADER_BYTES - 4)
      this.#isHeaderRead = true
    }
    for (let next = this.#parseRow(bytes, at); next !== -1; next = this.#parseRow(bytes, at)) {
      onRow(bytes, next - at)
      at = next
    }
    bytes.copyWithin(0, at, this.#bufferedBytes)
    this.#bufferedBytes -= at
  }

  #append(chunk: Buffer): Buffer {
    const length = this.#bufferedBytes + chunk.length
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#bufferedBytes)
      this.#buffer = larger
    }
    this.#buffer.set(chunk, this.#bufferedBytes)
    this.#bufferedBytes = length
    return this.#buffer
  }

  /**
   * Finds the fields of the row at a position.
   * @returns the position after the row; -1 if the row is not complete yet
   */
  #parseRow(bytes: Buffer, at: number): number {
    const length = this.#bufferedBytes
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
