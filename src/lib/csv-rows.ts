import { pipeline, Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { type CsvError, parse } from 'csv-parse'

/** Characters parsed at a stretch: others get their turn in between. A row costs some 20 µs, and may have one character. */
const CHUNK_CHARACTERS = 8 * 1024

/**
 * The rows of a CSV text (RFC 4180, any line break, with or without a mark in front), the header among them.
 * Iterating throws what {@link csvFault} puts into words.
 */
export function csvRows(text: string): AsyncIterable<string[]> {
  const parser = parse({ bom: true, relax_column_count: true, record_delimiter: ['\r\n', '\n', '\r'] })
  return pipeline(Readable.from(stretches(text)), parser, () => undefined)
}

async function* stretches(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += CHUNK_CHARACTERS) {
    yield text.slice(start, start + CHUNK_CHARACTERS)
    // Streams go on from one tick to the next: without this nobody would be answered before the last row.
    await turn()
  }
}

/** What makes a text no CSV. */
export interface CsvFault {
  /** The row that could not be read, counted from 1, which is the header. */
  row: number
  message: string
}

/** The parser's complaint in our words. @throws the error itself when it is no complaint about the text */
export function csvFault(error: unknown): CsvFault {
  // Where the parser stood: how many rows it had read whole.
  const { code, records } = error as CsvError & { records: number }
  return { row: records + 1, message: messageOf(code, error) }
}

function messageOf(code: CsvError['code'], error: unknown): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted cell is not closed'
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_ARGUMENT':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return 'a quote stands where none can be; inside a quoted cell it is doubled'
    default:
      throw error
  }
}
