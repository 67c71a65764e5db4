/** The characters that spreadsheet programs write between two cells; which one depends on the country. */
const DELIMITERS = [',', ';', '\t'] as const
export type CsvDelimiter = (typeof DELIMITERS)[number]

/** Number of characters and of rows that are compared. */
const MAX_CHARACTERS = 65_536
const MAX_ROWS = 20

/** The first line of a file for Excel, which names the delimiter and is not part of the table. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([,;\t])"?(?:\r\n|\r|\n|$)/i

/**
 * Finds the delimiter of a CSV text: the one that a line `sep=;` names; otherwise the one that gives the most known
 * headings, then the one with which the most rows have as many cells as the header. A comma wins a tie.
 * @returns the delimiter, and the text without the line that names it
 */
export function findDelimiter(
  text: string,
  isHeading: (cell: string) => boolean,
): { delimiter: CsvDelimiter; table: string } {
  const [line, named] = SEPARATOR_LINE.exec(text) ?? []
  if (line !== undefined) return { delimiter: named as CsvDelimiter, table: text.slice(line.length) }
  const start = text.slice(0, MAX_CHARACTERS)
  let best: { delimiter: CsvDelimiter; known: number; alike: number } = { delimiter: ',', known: -1, alike: -1 }
  for (const delimiter of DELIMITERS) {
    const [header = [], ...rows] = firstRows(start, delimiter)
    const known = header.filter(isHeading).length
    const alike = header.length > 1 ? 1 + rows.filter(({ length }) => length === header.length).length : 0
    if (known > best.known || (known === best.known && alike > best.alike)) best = { delimiter, known, alike }
  }
  return { delimiter: best.delimiter, table: text }
}

/** Returns the first rows of a text that are not blank lines. Accepts every text; the parser reports errors later. */
function firstRows(text: string, delimiter: CsvDelimiter): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let from = 0
  let isQuoted = false
  const endCell = (to: number) => {
    row.push(unquoted(text.slice(from, to)))
    from = to + 1
  }
  for (let at = 0; at < text.length && rows.length < MAX_ROWS; at += 1) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === delimiter) endCell(at)
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      endCell(at)
      if (row.length > 1 || row[0] !== '') rows.push(row)
      row = []
    }
  }
  if (rows.length < MAX_ROWS && text.length > from) {
    endCell(text.length)
    rows.push(row)
  }
  return rows
}

const unquoted = (cell: string): string => {
  const text = cell.replace(/^\ufeff/, '').trim()
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
}
