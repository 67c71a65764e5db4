import { csvField } from '../../../../lib/csv.ts'
import { plainNumber } from '../../../../lib/strings.ts'
import type { VariableMeta } from '../../../structure/meta-fields.ts'
import { cellFormat } from '../cell.ts'
import type { FileColumn, Lines, LinesPlan } from '../file.ts'
import { integerAt, MAX_NUMBER_BYTES, type MetaWriter, metaWriters, type Output, type Tuples } from '../output.ts'
import type { CellSink, PreparedCell } from './answer-cells.ts'
import { StatisticsRows } from './statistics-rows.ts'

const KEY_BYTES = 2 * 20

/**
 * Writes one line per response for statistics programs: legal names, codes of choices, 0 and 1 for ticks, and no line
 * break inside a cell.
 */
export class StatisticsLines implements Lines, CellSink {
  readonly fields: readonly string[]
  readonly header: string
  readonly columns: readonly FileColumn[]
  /** The length of the longest cell of each variable in bytes, of the lines that were written. */
  readonly widths: number[]
  readonly #rows: StatisticsRows
  readonly #meta: readonly MetaWriter[]
  #cells: string[] = []

  constructor(plan: LinesPlan) {
    const format = cellFormat(plan.options)
    this.#rows = new StatisticsRows(plan)
    const { variables, meta, fields } = this.#rows
    this.fields = fields
    this.header = `${variables.map(({ name }) => name).join(',')}\r\n`
    this.columns = variables.map(({ type, name }) => ({ kind: type === 'number' ? 'number' : 'text', key: name }))
    this.widths = variables.map(() => 0)
    this.#meta = meta.map((field) => writerOf(field, format))
  }

  write(tuples: Tuples, bytes: Buffer, length: number, out: Output): void {
    const { start, end } = tuples
    this.#cells = []
    this.#rows.answers(tuples, bytes, this)
    const line = Buffer.from(this.#cells.join(','))
    // Each quote and each line break of a text can become two bytes.
    out.reserve(this.#meta.length * (MAX_NUMBER_BYTES + 4) + KEY_BYTES + 2 * length + line.length + 4)
    for (const [i, write] of this.#meta.entries()) {
      if (start[i] === -1) out.empty()
      else {
        write(bytes, start[i]!, end[i]!, out)
        this.widths[i] = Math.max(this.widths[i]!, widthOf(bytes, start[i]!, end[i]!))
      }
    }
    if (this.#cells.length > 0) out.prepared(line)
    out.endLine()
  }

  missing(): void {
    this.#cells.push('')
  }

  prepared(index: number, { bytes }: PreparedCell): void {
    this.#cell(index, bytes.toString())
  }

  number(index: number, value: number): void {
    this.#cell(index, plainNumber(value))
  }

  text(index: number, bytes: Buffer, start: number, end: number): void {
    this.#cell(index, bytes.toString('utf8', start, end))
  }

  date(index: number, text: string): void {
    this.#cell(index, text)
  }

  #cell(index: number, cell: string): void {
    const line = oneLine(cell)
    this.widths[index] = Math.max(this.widths[index]!, Buffer.byteLength(line))
    this.#cells.push(csvField(line, COMMA))
  }
}

/** Returns the length of a text whose line breaks are written with two characters. */
function widthOf(bytes: Buffer, start: number, end: number): number {
  let width = end - start
  for (let i = start; i < end; i += 1) if (bytes[i] === 0x0a || bytes[i] === 0x0d) width += 1
  return width
}

const COMMA = { separator: ',', quoteAll: false } as const

/** Replaces every line break, also those that only some programs know, with the two characters `\n`. */
const oneLine = (text: string): string => text.replace(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '\\n')

const writerOf = ({ type }: VariableMeta, format: Parameters<(typeof metaWriters)['text']>[0]): MetaWriter => {
  if (type === 'key') return (bytes, start, end, out) => out.key(bytes, start, end, EMPTY, EMPTY)
  if (type === 'time') return writeTime
  return type === 'state' ? metaWriters.integer(format) : metaWriters[type](format)
}
const EMPTY = Buffer.alloc(0)

/** SPSS reads no time with a `T` between date and time. */
const writeTime: MetaWriter = (bytes, start, end, out) => {
  const milliseconds = Math.floor(integerAt(bytes, start, end) / 1e6) * 1000 + Date.UTC(2000, 0)
  out.cell(new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' '))
}
