import { type CsvDialect, csvField, escapeNewlines, guardFormula } from '../../../lib/csv.ts'
import { stripTags } from '../../../lib/tags.ts'
import type { ExportOptions } from './options.ts'

/** What happens to a text on its way into a cell. */
export interface CellFormat extends CsvDialect {
  stripHtml: boolean
  escapeNewline: boolean
  formulaGuard: boolean
}

export const cellFormat = (options: ExportOptions): CellFormat => ({
  separator: options.tabSeparated ? '\t' : ',',
  quoteAll: options.tabSeparated,
  stripHtml: options.stripHtml,
  escapeNewline: options.escapeNewline,
  formulaGuard: options.formulaGuard,
})

/** A header cell or one of what is known about a response: any text but an answer. */
export function textCell(text: string, format: CellFormat): string {
  const line = format.escapeNewline ? escapeNewlines(text) : text
  return csvField(format.formulaGuard ? guardFormula(line) : line, format)
}

/** A cell with an answer, or with the label of one. */
export const answerCell = (text: string, format: CellFormat): string =>
  textCell(format.stripHtml ? stripTags(text) : text, format)

/** What a byte of a text asks for; the rest is copied as it is. */
export const QUOTE = 1
/** The text has to be looked at as a whole: {@link textCell} or {@link answerCell} writes it. */
export const LOOK = 2

const bytesOf = (chars: string): Buffer => Buffer.from(chars, 'latin1')

function classes(look: string, quote: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of bytesOf(quote)) table[byte] = QUOTE
  for (const byte of bytesOf(look)) table[byte] = LOOK
  return table
}

/** Bytes of a text as PostgreSQL sends it. */
export const textClasses = ({ separator }: CellFormat): Uint8Array => classes('"\r\n', separator)

/** Bytes between the quotes of a JSON string; its control characters and quotes show as a backslash. */
export const jsonClasses = ({ separator, stripHtml }: CellFormat): Uint8Array =>
  classes(stripHtml ? '\\<' : '\\', separator)

/** First bytes behind which a formula may stand: its signs, white space, and what full-width or exotic white space begins with. */
export function guardClasses({ formulaGuard }: CellFormat): Uint8Array {
  const table = new Uint8Array(256)
  if (!formulaGuard) return table
  for (const byte of bytesOf('=+-@ \t\r\n\v\f\\')) table[byte] = LOOK
  return table.fill(LOOK, 0x80)
}
