import { type CellFormat, guardClasses, QUOTE, textCell, textClasses } from './cell.ts'

/** Bytes collected before they are handed on. */
const BLOCK = 64 * 1024
/** Longest number or time that {@link Output.integer}, `float` and `time` write, with quotes. */
export const LONGEST_NUMBER = 32

const DOUBLE_QUOTE = 0x22
const ZERO = 0x30
const COLON = 0x3a
/** Below it a native copy costs more than a loop. */
const SHORT = 48
const DAYS_TO_2000 = 10_957
const HEX = Uint8Array.from(Buffer.from('0123456789abcdef'))

/** Where lines are written, byte by byte: a block that is handed on when it is full. Room is reserved once a line. */
export class Output {
  #bytes = Buffer.allocUnsafeSlow(BLOCK)
  #at = 0
  #day = Number.NaN
  #date = Buffer.alloc(0)
  readonly #format: CellFormat
  readonly #separator: number
  readonly #classes: Uint8Array
  readonly #guard: Uint8Array
  readonly #hand: (block: Buffer) => void

  constructor(format: CellFormat, hand: (block: Buffer) => void) {
    this.#format = format
    this.#separator = format.separator.charCodeAt(0)
    this.#classes = textClasses(format)
    this.#guard = guardClasses(format)
    this.#hand = hand
  }

  /** Makes room for so many bytes; call it before writing a line, with no less than the line can have. */
  reserve(count: number): void {
    if (this.#bytes.length - this.#at >= count) return
    this.flush()
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(BLOCK, count))
  }

  /** Hands on what there is. */
  flush(): void {
    if (this.#at > 0) this.#hand(this.#bytes.subarray(0, this.#at))
    this.#bytes = this.#bytes.subarray(this.#at)
    this.#at = 0
  }

  /** Ends a cell. */
  next(): void {
    this.#bytes[this.#at++] = this.#separator
  }

  /** Ends the last cell of a line: CRLF in place of the separator behind it. */
  endLine(): void {
    this.#bytes[this.#at - 1] = 0x0d
    this.#bytes[this.#at++] = 0x0a
  }

  /** An empty cell. */
  empty(): void {
    if (this.#format.quoteAll) this.#quotes()
    this.next()
  }

  /** A cell made before, as it is. */
  prepared(cell: Uint8Array): void {
    this.raw(cell, 0, cell.length)
    this.next()
  }

  /** Bytes as they are, without a separator. */
  raw(from: Uint8Array, start: number, end: number): void {
    const bytes = this.#bytes
    let at = this.#at
    if (end - start < SHORT) for (let i = start; i < end; i += 1) bytes[at++] = from[i]!
    else {
      bytes.set(from.subarray(start, end), at)
      at += end - start
    }
    this.#at = at
  }

  /** Bytes that need no more than quotes around them. */
  plain(from: Uint8Array, start: number, end: number, quoted: boolean): void {
    const quotes = quoted || this.#format.quoteAll
    if (quotes) this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.raw(from, start, end)
    if (quotes) this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.next()
  }

  /** A cell as a string, finished. */
  cell(text: string): void {
    this.#at += this.#bytes.write(text, this.#at, 'utf8')
    this.next()
  }

  /** A text as PostgreSQL sends it. */
  text(from: Buffer, start: number, end: number): void {
    const classes = this.#classes
    let flags = end > start ? this.#guard[from[start]!]! : 0
    for (let i = start; i < end; i += 1) flags |= classes[from[i]!]!
    if (flags > QUOTE) this.cell(textCell(from.toString('utf8', start, end), this.#format))
    else this.plain(from, start, end, flags === QUOTE)
  }

  /** A whole number, up to 2^53 either side of zero. */
  integer(value: number): void {
    this.#open()
    this.digits(value)
    this.#close()
  }

  /** A whole number without quotes and separator. */
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
    this.#open()
    if (Number.isInteger(value)) this.digits(value)
    else this.#at += this.#bytes.write(String(value), this.#at, 'latin1')
    this.#close()
  }

  /** @param seconds since 2000-01-01T00:00:00Z; written as `YYYY-MM-DDTHH:MM:SS` */
  time(seconds: number): void {
    this.#open()
    const day = Math.floor(seconds / 86_400)
    if (day !== this.#day) {
      this.#day = day
      this.#date = Buffer.from(new Date((day + DAYS_TO_2000) * 86_400_000).toISOString().slice(0, 11))
    }
    this.raw(this.#date, 0, this.#date.length)
    const rest = (seconds - day * 86_400) | 0
    const minutes = (rest / 60) | 0
    const hours = (minutes / 60) | 0
    this.#two(hours)
    this.#bytes[this.#at++] = COLON
    this.#two(minutes - hours * 60)
    this.#bytes[this.#at++] = COLON
    this.#two(rest - minutes * 60)
    this.#close()
  }

  /** A response key in hexadecimal between two fixed texts that need no escaping. */
  key(from: Uint8Array, start: number, end: number, before: Uint8Array, behind: Uint8Array): void {
    this.#open()
    this.raw(before, 0, before.length)
    for (let i = start; i < end; i += 1) {
      this.#bytes[this.#at++] = HEX[from[i]! >> 4]!
      this.#bytes[this.#at++] = HEX[from[i]! & 15]!
    }
    this.raw(behind, 0, behind.length)
    this.#close()
  }

  #two(value: number): void {
    const tens = (value / 10) | 0
    this.#bytes[this.#at++] = ZERO + tens
    this.#bytes[this.#at++] = ZERO + value - tens * 10
  }

  #quotes(): void {
    this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.#bytes[this.#at++] = DOUBLE_QUOTE
  }

  #open(): void {
    if (this.#format.quoteAll) this.#bytes[this.#at++] = DOUBLE_QUOTE
  }

  #close(): void {
    if (this.#format.quoteAll) this.#bytes[this.#at++] = DOUBLE_QUOTE
    this.next()
  }
}
