import { parseXml } from './xml.ts'
import type { ZipArchive } from './zip.ts'

/** How a spreadsheet shows the number of a cell; undefined for an ordinary number. */
export type CellFormat = 'date' | 'percent' | undefined

/** Maximum number of styles that are read. Excel allows 65,490. */
const MAX_STYLES = 70_000

/** The formats that a workbook does not declare: dates and times by country and version, and percentages. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** Reads the formats of the styles to which cells refer by position. */
export async function readCellFormats(zip: ZipArchive, name: string): Promise<CellFormat[]> {
  const codes = new Map<number, string>()
  const formats: CellFormat[] = []
  let isCellStyles = false
  await parseXml(zip, name, {
    open(element, attribute) {
      if (element === 'numFmt' && codes.size < MAX_STYLES)
        codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '')
      if (element === 'cellXfs') isCellStyles = true
      if (element !== 'xf' || !isCellStyles || formats.length >= MAX_STYLES) return
      const id = Number(attribute('numFmtId') ?? 0)
      formats.push(formatOf(id, codes.get(id)))
    },
    close(element) {
      if (element === 'cellXfs') isCellStyles = false
    },
  })
  return formats
}

/** Returns what a format shows. Texts in quotes, escaped characters and colours in brackets have no meaning. */
function formatOf(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return isBuiltInDate(id) ? 'date' : id === 9 || id === 10 ? 'percent' : undefined
  const plain = code
    .slice(0, 1000)
    .replace(/"[^"]*"?|\\.|_./g, '')
    .replace(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
  const [positive = ''] = plain.split(';')
  if (/[dmyhs]/i.test(positive) && !/General/i.test(positive)) return 'date'
  return positive.includes('%') ? 'percent' : undefined
}

/**
 * Writes the number of a cell that a spreadsheet shows as a date or time: `2026-01-31`, `2026-01-31 08:30:00` or
 * `08:30:00`.
 * @param from1904 whether days are counted from 1904 and not from 1900
 * @returns undefined for a number that is no date
 */
export function dateText(value: number, from1904: boolean): string | undefined {
  if (!(value >= 0 && value < 2_958_466)) return undefined
  // Excel believes that 1900 was a leap year: its 29 February is the day 60.
  const days = from1904 ? value + 1462 : value
  const instant = new Date(Math.round(((days < 60 ? days + 1 : days) - 25_569) * 86_400) * 1000)
  const [day, time] = instant.toISOString().slice(0, 19).split('T')
  if (value < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}

/** Writes the number of a cell that a spreadsheet shows as a percentage: `10%` for 0.1. */
export const percentText = (value: number): string => `${Number((value * 100).toPrecision(12))}%`
