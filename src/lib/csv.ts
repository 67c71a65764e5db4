/** The format of cells. RFC 4180: a field that contains the separator, a quotation mark or a line break is quoted. */
export interface CsvDialect {
  separator: ',' | '\t'
  /** Quotes every field. */
  quoteAll: boolean
}

/** Returns one field, quoted where RFC 4180 demands it. */
export function csvField(text: string, { separator, quoteAll }: CsvDialect): string {
  if (quoteAll || text.includes(separator) || /["\r\n]/.test(text)) return `"${text.replaceAll('"', '""')}"`
  return text
}

/**
 * Matches a cell that a spreadsheet runs as a formula, by its first character after white space (OWASP, "CSV Injection"),
 * full-width forms included. A cell that begins with a tab or a line break counts as well.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/u
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/

/** Returns the text with an apostrophe in front where a spreadsheet would run it; a plain number stays a number. */
export const guardFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)

/** Returns the text with every line break as the two characters `\n`. */
export const escapeNewlines = (text: string): string => text.replace(/\r\n|\r|\n/g, '\\n')
