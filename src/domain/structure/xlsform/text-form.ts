import { csvRows } from '../../../lib/csv.ts'
import { MAX_CELLS, MAX_CHARACTERS, type SheetRow } from '../../../lib/xlsx/sheet.ts'
import type { Workbook } from '../../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'

/**
 * Forms as text, in the notations of pyxform. In both, the first cell of a line names a sheet, the next line with further
 * cells is its header, and the lines after it are its rows.
 */

const MARKDOWN = /^\s*\|\s*[\p{L}_]+\s*\|/u
const CSV = /^\s*"?(?:survey|choices|settings)"?\s*(?:,|\r?\n|$)/i
/** Number of bytes in which a form begins with the name of a sheet. */
const START_BYTES = 2000

/** Reports whether a file is a form as Markdown or CSV. */
export const isTextForm = (file: Buffer): boolean => notationOf(file) !== undefined

function notationOf(file: Buffer): 'markdown' | 'csv' | undefined {
  const start = file
    .subarray(0, START_BYTES)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replace(/^(?:\s*#[^\n]*\n)+/, '')
  return MARKDOWN.test(start) ? 'markdown' : CSV.test(start) ? 'csv' : undefined
}

/**
 * Reads a form as Markdown or CSV.
 * @throws {WorkbookError} `damaged` if the file is not UTF-8, or not CSV; `too_large`
 */
export async function readTextForm(file: Buffer): Promise<Workbook> {
  const text = textOf(file)
  const sheets = new Sheets()
  if (notationOf(file) === 'markdown') for (const cells of markdownRows(text)) sheets.add(cells)
  else
    try {
      for await (const cells of csvRows(text)) sheets.add(cells)
    } catch (error) {
      throw error instanceof WorkbookError ? error : new WorkbookError('damaged')
    }
  return sheets
}

function textOf(file: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    throw new WorkbookError('damaged')
  }
}

/** Yields the cells of the lines of tables. Text outside of tables, and lines between header and rows, are passed over. */
function* markdownRows(text: string): Generator<string[]> {
  for (const line of text.split('\n')) {
    const row = line.trim()
    if (!row.startsWith('|') || /^[|\s:-]+$/.test(row)) continue
    const end = row.lastIndexOf('|')
    yield row
      .slice(1, end === 0 ? undefined : end)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.replaceAll('\\|', '|'))
  }
}

/** The sheets of a form while its lines are read. Rows are counted from 1 in each sheet. */
class Sheets implements Workbook {
  readonly names: string[] = []
  readonly sheets = new Map<string, SheetRow[]>()
  #rows: SheetRow[] | undefined
  #cells = MAX_CELLS
  #characters = MAX_CHARACTERS

  add([first = '', ...rest]: readonly string[]): void {
    const name = first.trim()
    if (name !== '') this.#open(name)
    const cells = new Map<number, string>()
    for (const [index, cell] of rest.entries()) {
      const text = cell.trim()
      if (text === '') continue
      cells.set(index, text)
      this.#characters -= text.length
    }
    this.#cells -= cells.size
    if (this.#cells < 0) throw new WorkbookError('too_large', { max: MAX_CELLS, unit: 'cells' })
    if (this.#characters < 0) throw new WorkbookError('too_large', { max: MAX_CHARACTERS, unit: 'characters' })
    if (cells.size > 0) this.#rows?.push({ number: this.#rows.length + 1, cells })
  }

  #open(name: string): void {
    const key = name.toLowerCase()
    if (!this.sheets.has(key)) {
      this.names.push(name)
      this.sheets.set(key, [])
    }
    this.#rows = this.sheets.get(key)
  }
}
