import { readStart } from '../../table/read-table.ts'
import { type ColumnUse, checkColumnCount, isHeading, usesOf } from './header.ts'

/** The columns of a table before its import. */
export interface TablePreview {
  columns: { heading: string; use: ColumnUse }[]
  /** The first rows, with as many cells as there are columns. */
  rows: string[][]
}

/** Number of rows that an owner sees before the import. */
const PREVIEW_ROWS = 5

/**
 * Returns the first rows of a table of contacts, and what its columns seem to contain.
 * @throws {Problem} `invalid_csv`
 */
export async function previewContacts(text: string): Promise<TablePreview> {
  const { header, rows } = await readStart(text, isHeading, PREVIEW_ROWS)
  checkColumnCount(header)
  const uses = usesOf(header)
  return {
    columns: header.map((cell, index) => {
      const heading = cell.trim()
      return { heading, use: heading === '' ? 'ignored' : uses[index]! }
    }),
    rows: rows.map((cells) => header.map((_, index) => cells[index] ?? '')),
  }
}
