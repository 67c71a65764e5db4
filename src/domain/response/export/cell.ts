import { type CsvDialect, csvField, escapeNewlines, guardFormula } from '../../../lib/csv.ts'
import { stripTags } from '../../../lib/tags.ts'
import type { ExportOptions } from './options.ts'

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
