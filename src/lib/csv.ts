/** The format of cells. RFC 4180: a field that contains the separator, a quotation mark or a line break is quoted. */
export interface CsvDialect {
  separator: ',' | '\t'
  /** Quotes every field. */
  quoteAll: boolean
}

/** Returns a field, quoted if RFC 4180 requires it. */
export function csvField(text: string, { separator, quoteAll }: CsvDialect): string {
  if (quoteAll || text.includes(separator) || /["\r\n]/.test(text)) return `"${text.replaceAll('"', '""')}"`
  return text
}

/**
 * Matches a cell that a spreadsheet would run as a formula, and a cell that begins with a tab or a line break. A
 * formula is recognised by the first character after white space; this character can also be in its full-width form
 * (OWASP, "CSV Injection").
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/u
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. Plain numbers do not change. */
export const guardFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text)

/** Replaces each line break with the two characters `\n`. */
export const escapeNewlines = (text: string): string => text.replace(/\r\n|\r|\n/g, '\\n')
