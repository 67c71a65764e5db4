import { string as quote } from '@json2csv/formatters'
import { Parser } from '@json2csv/plainjs'
import { guardFormula } from './csv.ts'

type Cell = string | number | boolean | null | undefined

/** The line break of RFC 4180. */
const EOL = '\r\n'
/** U+FEFF at the start of a file, for programs that detect its encoding. */
const BYTE_ORDER_MARK = '\ufeff'

const quoted = quote()
const quoteIfNeeded = (text: string): string => (/[",\r\n]/.test(text) ? quoted(text) : text)

export interface CsvTableOptions {
  /** Puts an apostrophe before cells that a spreadsheet would run as a formula. */
  formulaGuard: boolean
  /** Begins the file with a byte order mark. */
  bom: boolean
}

/** Creates a writer for a CSV file (RFC 4180). @returns the header line, and a function that formats rows */
export function csvTable(columns: readonly string[], { formulaGuard, bom }: CsvTableOptions) {
  const format = (text: string) => quoteIfNeeded(formulaGuard ? guardFormula(text) : text)
  const parser = new Parser<readonly Cell[], readonly Cell[]>({
    fields: columns.map((_, index) => ({ label: '', value: (row: readonly Cell[]) => row[index] })),
    header: false,
    eol: EOL,
    formatters: { string: format },
  })
  const rows = (cells: readonly (readonly Cell[])[]) => (cells.length ? parser.parse([...cells]) + EOL : '')
  return { header: (bom ? BYTE_ORDER_MARK : '') + rows([columns]), rows }
}
