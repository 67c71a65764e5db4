import { plainNumber } from '../strings.ts'
import { type CellFormat, dateText, percentText } from './styles.ts'
import { WorkbookError } from './workbook-error.ts'
import { parseXml, type XmlHandler } from './xml.ts'
import type { ZipArchive } from './zip.ts'

/** A row of a sheet. Empty cells are missing. */
export interface SheetRow {
  /** Counted from 1, as a spreadsheet shows it. */
  number: number
  /** Texts by column, counted from 0. */
  cells: ReadonlyMap<number, string>
}

/** Maximum number of filled cells of a workbook. */
export const MAX_CELLS = 200_000
/** Maximum number of characters of all cells. A shared text is counted once for each of its cells. */
export const MAX_CHARACTERS = 10_000_000
/** Maximum number of characters of a cell in Excel. */
const MAX_CELL_CHARACTERS = 32_767
/** Number of columns that Excel supports. */
const MAX_COLUMNS = 16_384
/** Maximum number of shared texts. A workbook can contain a separate shared text for each cell. */
const MAX_SHARED_TEXTS = MAX_CELLS

/** Reads the texts that the cells of a workbook share. Phonetic hints (`rPh`) are left out. */
export async function readSharedTexts(zip: ZipArchive, name: string): Promise<string[]> {
  const texts: string[] = []
  let text = ''
  let isText = false
  let isHint = false
  await parseXml(zip, name, {
    open(element) {
      if (element === 'si') text = ''
      if (element === 'rPh') isHint = true
      isText = element === 't' && !isHint
    },
    text(piece) {
      if (isText) text = joined(text, piece)
    },
    close(element) {
      isText = false
      if (element === 'rPh') isHint = false
      if (element === 'si' && texts.push(text) > MAX_SHARED_TEXTS) throw tooManyCells()
    },
  })
  return texts
}

/** What the cells of a workbook refer to. */
export interface CellContent {
  sharedTexts: readonly string[]
  /** The formats of styles. */
  formats: readonly CellFormat[]
  /** Whether days are counted from 1904 and not from 1900. */
  from1904: boolean
}

/**
 * Reads the filled cells of a sheet as texts. Formulas are not computed: the cell has the value that the spreadsheet
 * program stored. Cells with an error (`#REF!`) are empty.
 * @param content what cells refer to
 * @param budget the numbers of cells and characters that may still be read; this function reduces them
 */
export async function readSheet(
  zip: ZipArchive,
  name: string,
  content: CellContent,
  budget: { cells: number; characters: number },
): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  let row: { number: number; cells: Map<number, string> } = { number: 0, cells: new Map() }
  let cell = { column: -1, type: '', style: 0, text: '' }
  let isValue = false
  let isHint = false
  const handler: XmlHandler = {
    open(element, attribute) {
      if (element === 'row') {
        row = { number: Number(attribute('r')) || row.number + 1, cells: new Map() }
        cell = { column: -1, type: '', style: 0, text: '' }
      }
      if (element === 'c')
        cell = {
          column: columnOf(attribute('r')) ?? cell.column + 1,
          type: attribute('t') ?? 'n',
          style: Number(attribute('s') ?? 0),
          text: '',
        }
      if (element === 'rPh') isHint = true
      isValue = element === 'v' || (element === 't' && !isHint)
    },
    text(piece) {
      if (isValue) cell.text = joined(cell.text, piece)
    },
    close(element) {
      isValue = false
      if (element === 'rPh') isHint = false
      if (element === 'c') {
        const text = textOf(cell, content).trim()
        if (text !== '' && cell.column < MAX_COLUMNS) {
          if (--budget.cells < 0) throw tooManyCells()
          budget.characters -= text.length
          if (budget.characters < 0) throw new WorkbookError('too_large', { max: MAX_CHARACTERS, unit: 'characters' })
          row.cells.set(cell.column, text)
        }
      }
      if (element === 'row' && row.cells.size > 0) rows.push(row)
    },
  }
  await parseXml(zip, name, handler)
  return rows
}

function joined(text: string, piece: string): string {
  if (text.length + piece.length > MAX_CELL_CHARACTERS)
    throw new WorkbookError('too_large', { max: MAX_CELL_CHARACTERS, unit: 'characters in a cell' })
  return text + piece
}

const tooManyCells = () => new WorkbookError('too_large', { max: MAX_CELLS, unit: 'cells' })

function textOf(
  { type, text, style }: { type: string; text: string; style: number },
  { sharedTexts, formats, from1904 }: CellContent,
): string {
  switch (type) {
    case 's':
      return sharedTexts[Number(text)] ?? ''
    case 'b':
      return text === '1' ? 'TRUE' : 'FALSE'
    case 'e':
      return ''
    case 'd':
      // A date as a date, which only a few programs write: `2026-01-31T00:00:00`.
      return text
        .replace(/(?:\.0+)?Z?$/, '')
        .replace(/T00:00:00$/, '')
        .replace('T', ' ')
    case 'n':
      return numberText(text, formats[style], from1904)
    default:
      return text
  }
}

function numberText(text: string, format: CellFormat, from1904: boolean): string {
  const number = Number(text)
  if (text.trim() === '' || Number.isNaN(number)) return text
  if (format === 'percent') return percentText(number)
  // The number 0.1 + 0.2 is stored as 0.30000000000000004, but a spreadsheet shows only 15 digits.
  return (format === 'date' ? dateText(number, from1904) : undefined) ?? plainNumber(Number(number.toPrecision(15)))
}

/** Returns the column of a cell reference: 0 for `A1`, 27 for `AB3`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  return letters === undefined
    ? undefined
    : [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Returns the letters of a column counted from 0: `A` for 0, `AB` for 27. */
export function columnLetters(column: number): string {
  const rest = Math.floor(column / 26) - 1
  return (rest >= 0 ? columnLetters(rest) : '') + String.fromCharCode(65 + (column % 26))
}
