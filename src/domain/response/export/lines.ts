import { type MetaType, metaFieldByKey, metaFields } from '../../structure/meta-fields.ts'
import { type AnswerCells, answerCells, type FieldCells } from './answers.ts'
import { type CellFormat, cellFormat, textCell } from './cell.ts'
import type { ExportOptions } from './columns.ts'
import { type CellKind, type ExportColumn, headerOf, kindOf, planColumns } from './columns.ts'
import type { FileColumn, Lines, LinesPlan } from './file.ts'
import { JsonLines } from './json-lines.ts'
import { integerAt, MAX_NUMBER_BYTES, type MetaWriter, metaWriters, type Output, type Tuples } from './output.ts'
import { DataLines } from './statistics/data-lines.ts'
import { createDtaFile } from './statistics/dta-file.ts'
import { createParquetFile } from './statistics/parquet-file.ts'
import { SavFile } from './statistics/sav-file.ts'
import { StatisticsLines } from './statistics/statistics-lines.ts'

const exportedFields = metaFields.filter(({ exported }) => exported)
const numberField = metaFieldByKey.get('_response_number')!

/** Returns the meta fields of an export in the order of its columns. */
const fieldsOf = ({ withNumber }: ExportOptions) => (withNumber ? [numberField, ...exportedFields] : exportedFields)

const META_KINDS: Readonly<Record<MetaType, CellKind>> = {
  state: 'text',
  integer: 'number',
  float: 'number',
  collector: 'number',
  time: 'time',
  text: 'text',
  key: 'text',
}

const EMPTY = Buffer.alloc(0)
/** Maximum number of bytes that a cell has in addition to its text: quotes, separator and apostrophe. */
const MAX_CELL_OVERHEAD_BYTES = 4
const KEY_HEX_DIGITS = 40

/**
 * Creates the writer of lines for the options of an export.
 * @throws {Problem} as {@link planColumns}
 */
export function createLines(plan: LinesPlan): Lines {
  if (plan.options.format === 'jsonl') return new JsonLines(plan.view)
  if (plan.options.format === 'sav') return new DataLines(plan, (file) => new SavFile(file))
  if (plan.options.format === 'dta') return new DataLines(plan, createDtaFile)
  if (plan.options.format === 'parquet') return new DataLines(plan, createParquetFile)
  if (plan.options.statistics) return new StatisticsLines(plan)
  const format = cellFormat(plan.options)
  const columns = planColumns(plan.questionnaire, plan.options)
  const answers = answerCells(columns, plan.options, format, plan.questionnaire, plan.files)
  return plan.options.inverted
    ? new InvertedLines(plan, format, columns, answers)
    : new WideLines(plan, format, columns, answers)
}

const headerLine = (cells: readonly string[], format: CellFormat): string =>
  `${cells.map((cell) => textCell(cell, format)).join(format.separator)}\r\n`

/**
 * The columns that the options add after the answers: `_key`, the URL of the response as `_url` and as
 * `_response_link`, and the empty column by which an import recognises labels or codes.
 */
class TrailingColumns {
  readonly names: readonly string[]
  readonly #mark: string | undefined
  readonly maxBytes: number
  readonly #texts: readonly (readonly [prefix: Buffer, suffix: Buffer])[]

  constructor({ options, address }: LinesPlan) {
    const url = [Buffer.from(address), Buffer.from('/')] as const
    const columns = [
      { on: options.withKey, name: '_key', text: [EMPTY, EMPTY] as const },
      { on: options.withUrl, name: '_url', text: url },
      { on: options.withLink, name: '_response_link', text: url },
    ].filter(({ on }) => on)
    this.#mark = options.inverted ? undefined : options.codes ? '_codes' : options.marksLabels ? '_labels' : undefined
    this.names = [...columns.map(({ name }) => name), ...(this.#mark ? [this.#mark] : [])]
    this.#texts = columns.map(({ text }) => text)
    this.maxBytes = columns.length * (address.length + KEY_HEX_DIGITS + 1 + MAX_CELL_OVERHEAD_BYTES)
  }

  write(bytes: Buffer, start: number, end: number, out: Output): void {
    for (const [prefix, suffix] of this.#texts) out.key(bytes, start, end, prefix, suffix)
    if (this.#mark) out.empty()
  }
}

/** Writes one line per response: meta fields, answers, key and URLs. */
class WideLines implements Lines {
  readonly fields: readonly string[]
  readonly header: string
  readonly columns: readonly FileColumn[]
  readonly #meta: readonly MetaWriter[]
  readonly #answers: AnswerCells
  readonly #trailing: TrailingColumns
  readonly #maxBytes: number

  constructor(plan: LinesPlan, format: CellFormat, columns: readonly ExportColumn[], answers: AnswerCells) {
    this.#trailing = new TrailingColumns(plan)
    const metaHeader = (name: string) => (plan.options.keysInHeader ? `{${name}}` : name)
    const fields = fieldsOf(plan.options)
    this.fields = [...fields.map(({ column }) => column), 'key', 'answers']
    const meta = fields.map(({ key }) => metaHeader(key))
    const names = columns.map((column) => headerOf(column, plan.options))
    this.header = headerLine([...meta, ...names, ...this.#trailing.names.map(metaHeader)], format)
    this.columns = [
      ...fields.map(({ type, key }) => ({ kind: META_KINDS[type], key, meta: key })),
      ...columns.map((column) => ({ kind: kindOf(column, plan.options), key: column.key })),
      ...this.#trailing.names.map((key) => ({ kind: 'text' as const, key })),
    ]
    this.#meta = fields.flatMap(({ type }) => (type === 'key' ? [] : [metaWriters[type](format)]))
    this.#answers = answers
    const prepared = answers.fields.reduce((sum, { maxBytes: longest }) => sum + longest, 0)
    this.#maxBytes =
      fields.length * MAX_NUMBER_BYTES +
      columns.length * (MAX_CELL_OVERHEAD_BYTES + 16) +
      prepared +
      this.#trailing.maxBytes +
      2
  }

  write({ start, end }: Tuples, bytes: Buffer, length: number, out: Output): void {
    const meta = this.#meta
    const { scan, fields } = this.#answers
    const key = meta.length
    // Each quote and each line break of a text can become two bytes.
    out.reserve(this.#maxBytes + 2 * length)
    for (let i = 0; i < key; i += 1) {
      if (start[i] === -1) out.empty()
      else meta[i]!(bytes, start[i]!, end[i]!, out)
    }
    scan.read(bytes, start[key + 1]! + 1)
    for (const field of fields) {
      field.read(bytes)
      for (let i = 0, width = field.columns.length; i < width; i += 1) {
        if (field.isAnswered(i)) field.write(i, bytes, out)
        else out.empty()
      }
    }
    this.#trailing.write(bytes, start[key]!, end[key]!, out)
    out.endLine()
  }
}

/** Writes one line per answer: response, question and value. */
class InvertedLines implements Lines {
  readonly fields = ['id', 'key', 'answers']
  readonly header: string
  readonly columns: readonly FileColumn[]
  readonly #answers: AnswerCells
  /** Formatted key, question and title of each column, by field. */
  readonly #prefixes: readonly (readonly Buffer[])[]
  readonly #trailing: TrailingColumns
  readonly #maxBytes: number

  constructor(plan: LinesPlan, format: CellFormat, columns: readonly ExportColumn[], answers: AnswerCells) {
    this.#trailing = new TrailingColumns(plan)
    const names = ['response id', 'key', 'question', 'title', 'value', ...this.#trailing.names]
    this.header = headerLine(names, format)
    this.columns = names.map((key, index) => ({ kind: index === 0 ? 'number' : 'text', key }))
    this.#answers = answers
    const prefixOf = ({ key, field, title }: ExportColumn) =>
      Buffer.from([key, field.question.id, title].map((cell) => textCell(cell, format)).join(format.separator))
    this.#prefixes = answers.fields.map((field) => field.columns.map(prefixOf))
    const prepared = answers.fields.reduce((sum, { maxBytes: longest }) => sum + longest, 0)
    const prefixes = this.#prefixes.flat().reduce((sum, { length }) => sum + length, 0)
    const perLine = MAX_NUMBER_BYTES + 2 * MAX_CELL_OVERHEAD_BYTES + 16 + this.#trailing.maxBytes + 2
    this.#maxBytes = prepared + prefixes + columns.length * perLine
  }

  write({ start, end }: Tuples, bytes: Buffer, length: number, out: Output): void {
    const { scan, fields } = this.#answers
    out.reserve(this.#maxBytes + 2 * length)
    const id = integerAt(bytes, start[0]!, end[0]!)
    scan.read(bytes, start[2]! + 1)
    for (let f = 0; f < fields.length; f += 1) {
      const field: FieldCells = fields[f]!
      field.read(bytes)
      for (let i = 0, width = field.columns.length; i < width; i += 1) {
        if (!field.isAnswered(i)) continue
        out.integer(id)
        out.prepared(this.#prefixes[f]![i]!)
        field.write(i, bytes, out)
        this.#trailing.write(bytes, start[1]!, end[1]!, out)
        out.endLine()
      }
    }
  }
}
