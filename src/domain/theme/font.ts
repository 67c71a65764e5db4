import { createHash } from 'node:crypto'
import { type ValueError, valueError } from '../field-error.ts'
import type { FontFile } from './theme.ts'

export const FONT_TYPE = 'font/woff2'

/** The length of the header of a WOFF2 file. */
const HEADER_BYTES = 48
/** The numbers of tables that WOFF2 writes as one byte: WOFF2, section 5.2. */
const [CMAP, HEAD, GLYF, LOCA, FVAR, OTHER] = [0, 1, 10, 11, 47, 63]

/**
 * Checks a font file by its header and its directory of tables (WOFF2, sections 4 and 5). Browsers check the tables
 * themselves, and do not use a damaged font.
 * @returns the font; an error if the file is too large or not a complete WOFF2 file of one font
 */
export function parseFont(bytes: Buffer, maxBytes: number): FontFile | ValueError {
  if (bytes.length > maxBytes) return valueError('font_too_large', { max: maxBytes })
  const tables = tablesOf(bytes)
  if (!tables?.has(CMAP) || !tables.has(HEAD)) return valueError('invalid_font')
  return {
    digest: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
    size: bytes.length,
    isVariable: tables.has(FVAR),
  }
}

/** Returns the numbers of the known tables of a font; undefined if the file is not a complete WOFF2 file of one font. */
function tablesOf(bytes: Buffer): ReadonlySet<number> | undefined {
  if (bytes.length <= HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'wOF2') return undefined
  const isOneFont = [0x00010000, 0x4f54544f].includes(bytes.readUInt32BE(4))
  const compressedBytes = bytes.readUInt32BE(20)
  if (!isOneFont || bytes.readUInt32BE(8) !== bytes.length || bytes.readUInt16BE(14) !== 0) return undefined
  const tables = new Set<number>()
  let at = HEADER_BYTES
  try {
    for (let left = bytes.readUInt16BE(12); left > 0; left -= 1) {
      const flags = bytes.readUInt8(at)
      const table = flags & 63
      const version = flags >> 6
      // The tables `glyf` and `loca` are transformed unless their version is 3, all others unless it is 0.
      const isTransformed = table === GLYF || table === LOCA ? version !== 3 : version !== 0
      at = endOfNumber(bytes, at + (table === OTHER ? 5 : 1))
      if (isTransformed) at = endOfNumber(bytes, at)
      tables.add(table)
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  return compressedBytes > 0 && at + compressedBytes <= bytes.length ? tables : undefined
}

const MAX_NUMBER_BYTES = 5

/**
 * Returns the position after a number of the form UIntBase128 (WOFF2, section 4.1), in which each byte except the last
 * one is at least 128.
 * @throws RangeError if the number is too long or the file ends
 */
function endOfNumber(bytes: Buffer, start: number): number {
  for (let at = start; at < start + MAX_NUMBER_BYTES; at += 1) if (bytes.readUInt8(at) < 128) return at + 1
  throw new RangeError('The number has more than five bytes.')
}
