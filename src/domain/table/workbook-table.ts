import { csvField } from '../../lib/csv.ts'
import type { SheetRow } from '../../lib/xlsx/sheet.ts'
import { type DeclaredSheet, openWorkbook } from '../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../lib/xlsx/workbook-error.ts'
import type { FieldError } from '../field-error.ts'
import { workbookFieldError } from '../sandbox.ts'

/** Maximum number of cells, with the empty ones below the header. */
const MAX_CELLS = 5_000_000
/** Number of rows that a sheet has in Excel. */
const MAX_ROWS = 1_048_576

/**
 * Returns the first sheet of a workbook as CSV. Rows keep their numbers: an empty row is a blank line. A task of
 * `runInSandbox`.
 */
export async function workbookTableTask(file: Uint8Array): Promise<{ csv: string } | { errors: FieldError[] }> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  try {
    return { csv: csvOf(await firstSheet(bytes)) }
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error
    return { errors: [workbookFieldError(error, 'body')] }
  }
}

/** Returns the rows of the first sheet that is not hidden; with the codebook of an export, its header has keys. */
async function firstSheet(bytes: Buffer): Promise<readonly SheetRow[]> {
  const sheets = await openWorkbook(bytes)
  const [first = sheets[0]!, second] = sheets.filter(({ isHidden }) => !isHidden)
  return withKeys((await first.read()) ?? [], second && (await readOptional(second)))
}

/** Returns the rows of a sheet that an import can do without; undefined if it cannot be read. */
async function readOptional(sheet: DeclaredSheet): Promise<SheetRow[] | undefined> {
  try {
    return await sheet.read()
  } catch (error) {
    if (error instanceof WorkbookError) return undefined
    throw error
  }
}

function csvOf(rows: readonly SheetRow[]): string {
  const width = 1 + Math.max(-1, ...(rows[0]?.cells.keys() ?? []))
  if (width * rows.length > MAX_CELLS) throw new WorkbookError('too_large', { max: MAX_CELLS, unit: 'cells' })
  const lines: string[] = []
  for (const { number, cells } of rows) {
    if (number > MAX_ROWS || number <= lines.length) throw new WorkbookError('damaged')
    while (lines.length < number - 1) lines.push('')
    const line = Array.from({ length: width }, (_, column) => field(cells.get(column) ?? ''))
    // One more cell is enough for the error that names the row.
    const extra = cells.entries().find(([column]) => column >= width)
    lines.push([...line, ...(extra ? [field(extra[1])] : [])].join(','))
  }
  return lines.map((line) => `${line}\r\n`).join('')
}

const field = (text: string) => csvField(unescaped(text), { separator: ',', quoteAll: false })

/** Replaces the escapes of characters that XML cannot contain (ECMA-376, 22.9.2.19 ST_Xstring): `_x000D_`. */
const unescaped = (text: string) =>
  text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Columns of the codebook of a workbook that was exported (response/export/statistics/codebook.ts). */
const HEADING = 0
const VALUE = 3
const VALUE_LABEL = 4
const VARIABLE = 5
const KEY = 7
/** The columns by which an import recognises what the cells of choices contain. */
const MARKS: ReadonlySet<string> = new Set(['_labels', '_codes'])

/**
 * Returns the rows of a sheet with the keys of its columns as header and numbers for the states of responses, if the second sheet of the workbook is a codebook;
 * otherwise the same rows. So an import reads a workbook for people as it was exported, in any language.
 */
export function withKeys(rows: readonly SheetRow[], codebook: readonly SheetRow[] | undefined): readonly SheetRow[] {
  const [header, ...others] = rows
  const described = codebook ?? []
  if (!header || !described.some(({ cells }) => cells.get(VARIABLE) === 'response_id' && cells.get(KEY) === '_id'))
    return rows
  const keys = new Map(described.map(({ cells }) => [cells.get(HEADING), cells.get(KEY)]))
  const named = [...header.cells].map(([column, heading]): [number, string] => [column, keys.get(heading) ?? heading])
  const mark = described.map(({ cells }) => cells.get(KEY)).find((key) => key !== undefined && MARKS.has(key))
  const states = new Map(
    described.flatMap(({ cells }): [string, string][] => {
      const [word, value] = [cells.get(VALUE_LABEL), cells.get(VALUE)]
      return cells.get(KEY) === '_completed' && word && value ? [[word, value]] : []
    }),
  )
  const state = named.find(([, key]) => key === '_completed')?.[0]
  const withStates = (row: SheetRow): SheetRow => {
    const value = state === undefined ? undefined : states.get(row.cells.get(state) ?? '')
    return value === undefined ? row : { ...row, cells: new Map(row.cells).set(state!, value) }
  }
  const next = 1 + Math.max(-1, ...header.cells.keys())
  return [
    { ...header, cells: new Map([...named, ...(mark ? [[next, mark] as const] : [])]) },
    ...others.map(withStates),
  ]
}
