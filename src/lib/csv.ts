/** How cells are written. RFC 4180: a field with the separator, a quote or a line break in it stands in quotes. */
export interface CsvDialect {
  separator: ',' | '\t'
  /** Every field in quotes, needed or not. */
  quoteAll: boolean
}

/** One field, quoted where it has to be. */
export function csvField(text: string, { separator, quoteAll }: CsvDialect): string {
  if (quoteAll || text.includes(separator) || /["\r\n]/.test(text)) return `"${text.replaceAll('"', '""')}"`
  return text
}

/**
 * First characters (after white space) that make a spreadsheet run a cell: OWASP, "CSV Injection", with their
 * full-width forms. A cell that begins with a tab or a line break is one as well.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/u
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/

/** The text with an apostrophe in front where a spreadsheet would run it; a plain number stays a number. */
export const guardFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)

/** Line breaks of every kind as the two characters `\n`. */
export const escapeNewlines = (text: string): string => text.replace(/\r\n|\r|\n/g, '\\n')
