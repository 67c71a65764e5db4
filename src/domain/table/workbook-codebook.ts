import type { SheetRow } from '../../lib/xlsx/sheet.ts'

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
