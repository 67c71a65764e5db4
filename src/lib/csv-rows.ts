import { pipeline, Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { type CsvError, parse } from 'csv-parse'

/**
 * Number of characters that are parsed before the event loop handles other requests. A row takes about 20 µs, even if
 * it is a single character.
 */
const CHUNK_CHARACTERS = 8 * 1024

/**
 * Returns the rows of a CSV text (RFC 4180, any line break, with or without a byte order mark), the header included.
 * Iterating throws errors that {@link describeCsvError} describes.
 */
export function csvRows(text: string, delimiter = ','): AsyncIterable<string[]> {
  const parser = parse({ bom: true, delimiter, relax_column_count: true, record_delimiter: ['\r\n', '\n', '\r'] })
  return pipeline(Readable.from(chunksOf(text)), parser, () => undefined)
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += CHUNK_CHARACTERS) {
    yield text.slice(start, start + CHUNK_CHARACTERS)
    // Lets the event loop handle other requests between two chunks.
    await turn()
  }
}

/** Why a row is not CSV. */
export type CsvErrorReason = 'quote_not_closed' | 'quote_not_doubled'

/** A syntax error of a CSV text. */
export interface CsvRowError {
  /** The invalid row; row 1 is the header. */
  row: number
  reason: CsvErrorReason
}

/**
 * Describes a parser error for the author of the file.
 * @throws any other error unchanged
 */
export function describeCsvError(error: unknown): CsvRowError {
  // `records`: rows that the parser had read completely.
  const { code, records } = error as CsvError & { records: number }
  return { row: records + 1, reason: reasonOf(code, error) }
}

function reasonOf(code: CsvError['code'], error: unknown): CsvErrorReason {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'quote_not_closed'
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_ARGUMENT':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return 'quote_not_doubled'
    default:
      throw error
  }
}
