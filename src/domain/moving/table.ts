import { csvRows, describeCsvError, findDelimiter } from '../../lib/csv.ts'
import { openWorkbook } from '../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../lib/xlsx/workbook-error.ts'
import { LIMITS, MovingError, type SourceFile, type SourceResponse } from './source.ts'

/** A table of responses. */
export interface Table {
  file: string
  /** The rows with the header, without blank lines at the end; each with its number in the file. */
  rows: { number: number; cells: readonly string[] }[]
}

/**
 * Reads a table: CSV with commas, semicolons or tabs, or the first sheet of a workbook.
 * @param isHeading tells the delimiter by the headings that are known
 * @returns undefined for a file that is not a table
 * @throws {MovingError}
 */
export function readTableFile(file: SourceFile, isHeading?: (cell: string) => boolean): Promise<Table | undefined> {
  if (isHeading) return readRows(file, isHeading)
  // Several formats look at the same table.
  const cached = tables.get(file) ?? readRows(file, () => false)
  tables.set(file, cached)
  return cached
}

/** Returns the headings of a table, without a byte order mark and outer blanks. */
export const headingsOf = (table: Table | undefined): string[] =>
  table?.rows[0]?.cells.map((name) => name.replace(/^\ufeff/, '').trim()) ?? []

const tables = new WeakMap<SourceFile, Promise<Table | undefined>>()

async function readRows(
  { name, text, bytes }: SourceFile,
  isHeading: (cell: string) => boolean,
): Promise<Table | undefined> {
  const rows: Table['rows'] = []
  // JSON and XML that cannot be read are no tables.
  if (text !== undefined && MARKUP.test(text.slice(0, 1000))) return undefined
  if (text !== undefined) {
    const { delimiter, table } = findDelimiter(text, isHeading)
    let number = 0
    try {
      for await (const cells of csvRows(table, delimiter)) {
        number += 1
        add(cells, number)
      }
    } catch (error) {
      if (error instanceof MovingError) throw error
      throw new MovingError('damaged_survey_file', name, { place: `row ${describeCsvError(error).row}` })
    }
  } else {
    const sheet = await firstSheet(bytes, name)
    if (!sheet) return undefined
    for (const { number, cells } of sheet) {
      const width = 1 + Math.max(-1, ...cells.keys())
      if (width > LIMITS.columns) throw tooWide(name)
      add(
        Array.from({ length: width }, (_, index) => cells.get(index) ?? ''),
        number,
      )
    }
  }
  return { file: name, rows }

  function add(cells: readonly string[], number: number): void {
    if (cells.length > LIMITS.columns) throw tooWide(name)
    if (cells.every((cell) => cell.trim() === '')) return
    if (rows.length > LIMITS.responses + MAX_HEADER_ROWS)
      throw new MovingError('too_many_responses', name, { max: LIMITS.responses })
    rows.push({ number, cells })
  }
}

const MARKUP = /^\s*[{[<]/

/** Maximum number of rows above the responses. */
const MAX_HEADER_ROWS = 10

const tooWide = (file: string) => new MovingError('survey_file_too_large', file, { max: LIMITS.megabytes })

async function firstSheet(bytes: Buffer, name: string) {
  try {
    const [sheet] = (await openWorkbook(bytes)).filter(({ isHidden }) => !isHidden)
    return await sheet?.read()
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error
    if (error.reason === 'not_a_workbook' || error.reason === 'old_format') return undefined
    if (error.reason === 'password_protected') throw new MovingError('password_protected', name)
    throw new MovingError('damaged_survey_file', name, { place: error.reason })
  }
}

/** Finds the columns of a table by any of their names. */
export class Columns {
  readonly #indices = new Map<string, number[]>()
  readonly #used = new Set<number>()
  /** The names of the columns. Of columns with the same name, the second one is `name (2)`. */
  readonly names: readonly string[]

  /** @param normalise returns the names under which a column is found */
  constructor(header: readonly string[], normalise: (name: string) => readonly string[] = (name) => [name]) {
    const counts = new Map<string, number>()
    this.names = header.map((written) => {
      const name = written.replace(/^\ufeff/, '').trim()
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return count === 1 ? name : `${name} (${count})`
    })
    for (const [index, name] of header.entries())
      for (const one of new Set(normalise(name.replace(/^\ufeff/, '').trim())))
        this.#indices.set(one, [...(this.#indices.get(one) ?? []), index])
  }

  /** Returns the position of the first of some names that the table has. */
  find(...names: readonly string[]): number | undefined {
    for (const name of names) {
      const [index] = this.#indices.get(name) ?? []
      if (index !== undefined) {
        this.#used.add(index)
        return index
      }
    }
    return undefined
  }

  /** Returns the position of a column as {@link find} does, but each column once: columns can have the same name. */
  take(...names: readonly string[]): number | undefined {
    for (const name of names) {
      const index = (this.#indices.get(name) ?? []).find((one) => !this.#used.has(one))
      if (index !== undefined) {
        this.#used.add(index)
        return index
      }
    }
    return undefined
  }

  /** Returns the columns that were never looked for. */
  unused(): { name: string; index: number }[] {
    return this.names.flatMap((name, index) => (this.#used.has(index) || name === '' ? [] : [{ name, index }]))
  }
}

/** Returns the values in a cell that lists them between commas. Labels can contain commas themselves. */
export function listed(list: string, known: ReadonlyMap<string, unknown>): string[] {
  const found: string[] = []
  const names = [...known.keys()].filter((name) => name !== '').sort((a, b) => b.length - a.length)
  let rest = list.trim()
  while (rest !== '') {
    const next = names.find((name) => rest === name || rest.startsWith(`${name},`))
    const value = next ?? rest.split(',', 1)[0]!
    found.push(value.trim())
    rest = rest.slice(value.length).replace(/^\s*,\s*/, '')
  }
  return found.filter((value) => value !== '')
}

/**
 * Yields the rows of a table in which each column is one answer.
 * @param stamp the name of the column with the time of the response
 */
export function* tableResponses(table: Table, columns: Columns, stamp: string | undefined): Iterable<SourceResponse> {
  const indices = new Map(columns.names.map((name, index) => [name, index]))
  for (const { number, cells } of table.rows.slice(1)) {
    const value = (name: string) => cells[indices.get(name) ?? -1] ?? ''
    yield {
      row: number,
      completed: 1,
      createdAt: stamp === undefined ? undefined : value(stamp),
      values: (name) => (value(name).trim() === '' ? [] : [value(name)]),
    }
  }
}
