import { type MetaType, STATE_LABELS } from '../../structure/meta-fields.ts'
import { type CellFormat, guardClasses, QUOTE, textCell, textClasses } from './cell.ts'

const BLOCK_BYTES = 64 * 1024
/** Maximum size of a number or time in quotes. */
export const MAX_NUMBER_BYTES = 32

const DOUBLE_QUOTE = 0x22
const ZERO = 0x30
const COLON = 0x3a
/** Minimum number of bytes for which a native copy is faster than a loop. */
const MIN_NATIVE_COPY_BYTES = 48
const DAYS_TO_2000 = 10_957
const HEX = Uint8Array.from(Buffer.from('0123456789abcdef'))

/** Writes lines into blocks of bytes. For each response, the caller first reserves enough space for all its lines. */
export class Output {
  #bytes = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  #at = 0
  #day = Number.NaN
  #date = Buffer.alloc(0)
  readonly #format: CellFormat
  readonly #separator: number
  readonly #classes: Uint8Array
  readonly #guard: Uint8Array
  readonly #onBlock: (block: Buffer) => void

  constructor(format: CellFormat, onBlock: (block: Buffer) => void) {
    this.#format = format
    this.#separator = format.separator.charCodeAt(0)
    this.#classes = textClasses(format)
    this.#guard = guardClasses(format)
    this.#onBlock = onBlock
  }

  /** Reserves bytes. Call it before the lines of each response are written, with their maximum size. */
  reserve(count: number): void {
    if (this.#bytes.length - this.#at >= count) return
    this.flush()
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, count))
  }

  /** Passes the written bytes to `onBlock`. */
  flush(): void {
    if (this.#at > 0) this.#onBlock(this.#bytes.subarray(0, this.#at))
    this.#bytes = this.#bytes.subarray(this.#at)
    this.#at = 0
  }

  /** Ends a cell. */
  next(): void {
    this.#bytes[this.#at++] = this.#separator
  }

  /** Ends a line: replaces the last separator with CRLF. */
  endLine(): void {
    this.#bytes[this.#at - 1] = 0x0d
    this.#bytes[this.#at++] = 0x0a
  }

  /** Writes an empty cell. */
  empty(): void {
    if (this.#format.quoteAll) this.#emptyQuotes()
    this.next()
  }

  /** Writes a formatted cell. */
  prepared(cell: Uint8Array): void {
    this.raw(cell, 0, cell.length)
    this.next()
  }

  /** Writes bytes without a separator. */
  raw(from: Uint8Array, start: number, end: number): void {
    const bytes = this.#bytes
    let at = this.#at
    if (end - start < MIN_NATIVE_COPY_BYTES) for (let i = start; i < end; i += 1) bytes[at++] = from[i]!
    else {
      bytes.set(from.subarray(start, end), at)
      at += end - start
    }
    this.#at = at
  }

  /** Writes a cell that needs no conversion except quotes. */
  plain(from: Uint8Array, start: number, end: number, quoted: boolean): void {
    const isQuoted = quoted || this.#format.quoteAll
    if (isQuoted) this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.raw(from, start, end)
    if (isQuoted) this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.next()
  }

  /** Writes a formatted cell given as a string. */
  cell(text: string): void {
    this.#at += this.#bytes.write(text, this.#at, 'utf8')
    this.next()
  }

  /** Writes a cell with a `text` value, given in PostgreSQL's binary format (the bytes of the text). */
  text(from: Buffer, start: number, end: number): void {
    const classes = this.#classes
    let flags = end > start ? this.#guard[from[start]!]! : 0
    for (let i = start; i < end; i += 1) flags |= classes[from[i]!]!
    if (flags > QUOTE) this.cell(textCell(from.toString('utf8', start, end), this.#format))
    else this.plain(from, start, end, flags === QUOTE)
  }

  /** Writes an integer within ±2^53. */
  integer(value: number): void {
    this.#openQuote()
    this.digits(value)
    this.#closeQuote()
  }

  /** Writes an integer without quotes and separator. */
  digits(value: number): void {
    if (value < 0 || value > 0x7fffffff) {
      this.#at += this.#bytes.write(String(value), this.#at, 'latin1')
      return
    }
    const bytes = this.#bytes
    let length = 1
    for (let bound = 10; bound <= value; bound *= 10) length += 1
    let rest = value | 0
    for (let at = this.#at + length - 1; at >= this.#at; at -= 1) {
      const tenth = (rest / 10) | 0
      bytes[at] = ZERO + rest - tenth * 10
      rest = tenth
    }
    this.#at += length
  }

  float(value: number): void {
    this.#openQuote()
    if (Number.isInteger(value)) this.digits(value)
    else this.#at += this.#bytes.write(String(value), this.#at, 'latin1')
    this.#closeQuote()
  }

  /** @param seconds since 2000-01-01T00:00:00Z; written as `YYYY-MM-DDTHH:MM:SS` */
  time(seconds: number): void {
    this.#openQuote()
    const day = Math.floor(seconds / 86_400)
    if (day !== this.#day) {
      this.#day = day
      this.#date = Buffer.from(new Date((day + DAYS_TO_2000) * 86_400_000).toISOString().slice(0, 11))
    }
    this.raw(this.#date, 0, this.#date.length)
    const rest = (seconds - day * 86_400) | 0
    const minutes = (rest / 60) | 0
    const hours = (minutes / 60) | 0
    this.#twoDigits(hours)
    this.#bytes[this.#at++] = COLON
    this.#twoDigits(minutes - hours * 60)
    this.#bytes[this.#at++] = COLON
    this.#twoDigits(rest - minutes * 60)
    this.#closeQuote()
  }

  /** Writes the key of a response in hexadecimal, between a prefix and a suffix that need no escaping. */
  key(from: Uint8Array, start: number, end: number, prefix: Uint8Array, suffix: Uint8Array): void {
    this.#openQuote()
    this.raw(prefix, 0, prefix.length)
    for (let i = start; i < end; i += 1) {
      this.#bytes[this.#at++] = HEX[from[i]! >> 4]!
      this.#bytes[this.#at++] = HEX[from[i]! & 15]!
    }
    this.raw(suffix, 0, suffix.length)
    this.#closeQuote()
  }

  #twoDigits(value: number): void {
    const tens = (value / 10) | 0
    this.#bytes[this.#at++] = ZERO + tens
    this.#bytes[this.#at++] = ZERO + value - tens * 10
  }

  #emptyQuotes(): void {
    this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.#bytes[this.#at++] = DOUBLE_QUOTE
  }

  #openQuote(): void {
    if (this.#format.quoteAll) this.#bytes[this.#at++] = DOUBLE_QUOTE
  }

  #closeQuote(): void {
    if (this.#format.quoteAll) this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.next()
  }
}

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

/** Writes the value of a meta field from PostgreSQL's binary format. */
export type MetaWriter = (bytes: Buffer, start: number, end: number, out: Output) => void

const writeInteger: MetaWriter = (bytes, start, end, out) => out.integer(integerAt(bytes, start, end))

/** Writers of meta fields by type, from PostgreSQL's binary format. */
export const metaWriters: Readonly<Record<Exclude<MetaType, 'key'>, (format: CellFormat) => MetaWriter>> = {
  state: (format) => {
    const labels = (format.states ?? STATE_LABELS).map((label) => Buffer.from(textCell(label, format)))
    return (bytes, _, end, out) => out.prepared(labels[bytes[end - 1]!]!)
  },
  integer: () => writeInteger,
  collector: () => writeInteger,
  float: () => (bytes, start, _, out) => out.float(bytes.readDoubleBE(start)),
  // The number of microseconds since 2000-01-01. A double represents this number exactly until the year 2285.
  time: () => (bytes, start, end, out) => out.time(Math.floor(integerAt(bytes, start, end) / 1e6)),
  text: () => (bytes, start, end, out) => out.text(bytes, start, end),
}

/** Reads an int2, int4 or int8 in network byte order. */
export function integerAt(bytes: Buffer, start: number, end: number): number {
  const low = end - start === 2 ? bytes.readInt16BE(start) : bytes.readInt32BE(start)
  return end - start === 8 ? low * 0x1_0000_0000 + bytes.readUInt32BE(start + 4) : low
}
