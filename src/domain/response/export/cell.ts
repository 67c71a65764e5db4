import { type CsvDialect, csvField, escapeNewlines, guardFormula } from '../../../lib/csv.ts'
import { stripTags } from '../../../lib/tags.ts'
import type { ExportOptions } from './columns.ts'

/** How the texts of cells are converted. */
export interface CellFormat extends CsvDialect {
  stripHtml: boolean
  escapeNewline: boolean
  formulaGuard: boolean
  /** The words for the states of a response. */
  states?: readonly string[] | undefined
}

export const cellFormat = (options: ExportOptions): CellFormat => ({
  separator: options.tabSeparated ? '\t' : ',',
  quoteAll: options.tabSeparated,
  stripHtml: options.stripHtml,
  // In a file for statistics programs, a line is a case.
  escapeNewline: options.escapeNewline || options.statistics,
  formulaGuard: options.formulaGuard,
  states: options.states,
})

/** Formats a cell of the header or of a meta field. */
export function textCell(text: string, format: CellFormat): string {
  const line = format.escapeNewline ? escapeNewlines(text) : text
  return csvField(format.formulaGuard ? guardFormula(line) : line, format)
}

/** Formats a cell with an answer or a label. */
export const answerCell = (text: string, format: CellFormat): string =>
  textCell(format.stripHtml ? stripTags(text) : text, format)

/**
 * Class of the bytes that can be copied, but only into a cell with quotes. Bytes without a class are copied as they
 * are.
 */
export const QUOTE = 1
/**
 * Class of the bytes that cannot be copied. A text with such a byte is converted by {@link textCell} or {@link
 * answerCell}.
 */
export const CONVERT = 2

const bytesOf = (chars: string): Buffer => Buffer.from(chars, 'latin1')

function classes(convert: string, quote: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of bytesOf(quote)) table[byte] = QUOTE
  for (const byte of bytesOf(convert)) table[byte] = CONVERT
  return table
}

/** Returns the byte classes of a plain text. */
export const textClasses = ({ separator }: CellFormat): Uint8Array => classes('"\r\n', separator)

/** Returns the byte classes of a JSON string, in which control characters and quotes are escaped by a backslash. */
export const jsonClasses = ({ separator, stripHtml }: Pick<CellFormat, 'separator' | 'stripHtml'>): Uint8Array =>
  classes(stripHtml ? '\\<' : '\\', separator)

/**
 * Returns the classes of bytes with which a formula can begin: signs, white space, a JSON escape, and bytes above
 * ASCII.
 */
export function guardClasses({ formulaGuard }: CellFormat): Uint8Array {
  const table = new Uint8Array(256)
  if (!formulaGuard) return table
  for (const byte of bytesOf('=+-@ \t\r\n\v\f\\')) table[byte] = CONVERT
  return table.fill(CONVERT, 0x80)
}

/** Types of answers. */
export const ABSENT = 0
export const STRING = 1
export const NUMBER = 2
export const TRUE = 3
export const FALSE = 4
export const LIST = 5

const DOUBLE_QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BRACE_OPEN = 0x7b
const BRACE_CLOSE = 0x7d
const BRACKET_OPEN = 0x5b
const BRACKET_CLOSE = 0x5d

/**
 * Finds the answers of a response in the text of a jsonb object without parsing the values. PostgreSQL prints jsonb as
 * `{"key": value, "key": value}` with keys ordered by length and then by bytes, so the next requested key is almost
 * always the next one in the text.
 */
export class AnswerScan {
  /**
   * The type of each answer, and the start and end of its text without quotes. The index in these arrays is the slot of
   * an answer: the index of its key in `keys`.
   */
  readonly kind: Uint8Array
  readonly start: Int32Array
  readonly end: Int32Array
  /** Union of the byte classes of a string. */
  readonly flags: Uint8Array
  readonly #names: Buffer[]
  readonly #slots: number[]
  readonly #classes: Uint8Array

  constructor(keys: readonly string[], classes: Uint8Array) {
    const order = keys.map((key, slot) => ({
      slot,
      bytes: Buffer.from(key),
      name: Buffer.from(JSON.stringify(key).slice(1, -1)),
    }))
    order.sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes))
    this.#names = order.map(({ name }) => name)
    this.#slots = order.map(({ slot }) => slot)
    this.#classes = classes
    this.kind = new Uint8Array(keys.length)
    this.flags = new Uint8Array(keys.length)
    this.start = new Int32Array(keys.length)
    this.end = new Int32Array(keys.length)
  }

  /** Scans the object at a position. Replaces the results of the previous row. */
  read(bytes: Buffer, at: number): void {
    this.kind.fill(ABSENT)
    if (bytes[at] !== BRACE_OPEN || bytes[at + 1] === BRACE_CLOSE) return
    const classes = this.#classes
    let expected = 0
    let p = at + 1
    for (;;) {
      const name = p + 1
      p = afterString(bytes, p)
      const found = this.#find(bytes, name, p - 1, expected)
      if (found !== -1) expected = found + 1
      const slot = found === -1 ? -1 : this.#slots[found]!
      p += 2
      const first = bytes[p]!
      const start = p
      let flags = 0
      let kind = ABSENT
      if (first === DOUBLE_QUOTE) {
        kind = STRING
        p += 1
        for (let byte = bytes[p]!; byte !== DOUBLE_QUOTE; byte = bytes[p]!) {
          flags |= classes[byte]!
          p += byte === BACKSLASH ? 2 : 1
        }
        p += 1
      } else if (first === BRACKET_OPEN || first === BRACE_OPEN) {
        kind = first === BRACKET_OPEN ? LIST : ABSENT
        p = afterNested(bytes, p)
      } else {
        kind = first === 0x74 ? TRUE : first === 0x66 ? FALSE : first === 0x6e ? ABSENT : NUMBER
        while (bytes[p] !== COMMA && bytes[p] !== BRACE_CLOSE) p += 1
      }
      if (slot !== -1) {
        this.kind[slot] = kind
        this.flags[slot] = flags
        this.start[slot] = kind === STRING ? start + 1 : start
        this.end[slot] = kind === STRING ? p - 1 : p
      }
      if (bytes[p] === BRACE_CLOSE) return
      p += 2
    }
  }

  /**
   * Returns the index of a key in `#names`, and tries the expected index first. Returns -1 if the key is not requested.
   */
  #find(bytes: Buffer, start: number, end: number, expected: number): number {
    const names = this.#names
    const count = names.length
    const length = end - start
    for (let tried = 0, at = expected; tried < count; tried += 1, at += 1) {
      if (at >= count) at = 0
      const name = names[at]!
      if (name.length !== length) continue
      let i = 0
      while (i < length && bytes[start + i] === name[i]) i += 1
      if (i === length) return at
    }
    return -1
  }
}

/** Returns the position after the string whose opening quote is at `p`. */
function afterString(bytes: Buffer, p: number): number {
  let at = p + 1
  for (let byte = bytes[at]!; byte !== DOUBLE_QUOTE; byte = bytes[at]!) at += byte === BACKSLASH ? 2 : 1
  return at + 1
}

/** Returns the position after the list or object that begins at `p`. */
function afterNested(bytes: Buffer, p: number): number {
  let depth = 0
  let at = p
  do {
    const byte = bytes[at]!
    if (byte === DOUBLE_QUOTE) at = afterString(bytes, at)
    else {
      if (byte === BRACKET_OPEN || byte === BRACE_OPEN) depth += 1
      else if (byte === BRACKET_CLOSE || byte === BRACE_CLOSE) depth -= 1
      at += 1
    }
  } while (depth > 0)
  return at
}

/** Returns the string between two positions, unescaped. */
export const stringAt = (bytes: Buffer, start: number, end: number, flags: number): string =>
  flags & CONVERT
    ? (JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string)
    : bytes.toString('utf8', start, end)
