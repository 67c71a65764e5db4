import type { SheetRow } from '../../lib/xlsx/sheet.ts'

/** Columns of the codebook of a workbook that was exported (response/export/statistics/codebook.ts). */
const HEADING = 0
const VARIABLE = 5
const KEY = 7
/** The columns by which an import recognises what the cells of choices contain. */
const MARKS: ReadonlySet<string> = new Set(['_labels', '_codes'])

/**
 * Returns the rows of a sheet with the keys of its columns as header, if the second sheet of the workbook is a codebook;
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
  const next = 1 + Math.max(-1, ...header.cells.keys())
  return [{ ...header, cells: new Map([...named, ...(mark ? [[next, mark] as const] : [])]) }, ...others]
}
