import { isUtf8 } from 'node:buffer'

/** An encoding in which spreadsheet programs and editors save texts. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/**
 * Returns the encoding that the byte order mark at the start of a text names: UTF-16 as Excel saves “Unicode text”, or
 * UTF-8.
 */
export function markedEncoding(start: Buffer): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 'utf-8' : undefined
}

/**
 * Decodes a text file: UTF-8 and UTF-16 with a byte order mark, UTF-8 without one, and Windows-1252 (“ANSI”, as Excel
 * saves CSV files in Europe and America) if the bytes are not UTF-8. The mark is left out.
 * @returns undefined if the bytes are not in the encoding that their mark names
 */
export function decodeText(bytes: Buffer): string | undefined {
  const encoding = markedEncoding(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
