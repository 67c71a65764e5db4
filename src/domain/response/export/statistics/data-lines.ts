import { PROGRAM_VERSION } from '../../../../lib/program-version.ts'
import { plainNumber } from '../../../../lib/strings.ts'
import { parseIsoDatetime } from '../../../structure/datetime.ts'
import type { VariableMeta } from '../../../structure/meta-fields.ts'
import { textIn } from '../../../structure/text.ts'
import type { FileColumn, Lines, LinesPlan } from '../file.ts'
import { blocksOf } from '../file.ts'
import type { Output, Tuples } from '../output.ts'
import { integerAt } from '../output.ts'
import type { ExportSession, Query } from '../session.ts'
import { type CellSink, numberIn, type PreparedCell } from './answer-cells.ts'
import { StatisticsRows } from './statistics-rows.ts'
import { plainLabel, type Variable, type VariableType } from './variables.ts'

/** What a file with types is made from. */
export interface DataFilePlan {
  title: string
  product: string
  /** The last change of the survey or of a response, so that the same responses make the same file. */
  changed: Date
  cases: number
  variables: readonly Variable[]
  /** The maximum length of each text in bytes; 0 for any other variable. */
  widths: readonly number[]
}

/** Writes the values of each response, in the order of the variables, in the format of a program. */
export interface DataFile {
  /** All bytes before the values. */
  readonly header: Buffer
  /** Number of bytes that the longest response can have. */
  readonly caseBytes: number
  missing(index: number): void
  /** Writes a number. NaN is a missing value. */
  number(index: number, value: number): void
  /** Writes a text in UTF-8. The bytes are valid until the method returns. */
  text(index: number, bytes: Uint8Array, start: number, end: number): void
  /** Writes a date or time: milliseconds since 1970 or since midnight, without a time zone. */
  instant(index: number, milliseconds: number): void
  /** Ends a response. */
  endCase(out: Output): void
  /** Number of times that the responses are written; absent: once. */
  readonly passes?: number
  /** Begins to write the responses again. */
  nextPass?(): void
  /** Writes what follows the last response. */
  end(out: Output): void
}

/** Creates the file of a format. `readCases` passes all values to another file, to measure them. */
export type CreateDataFile = (
  plan: DataFilePlan,
  readCases: (file: DataFile) => Promise<void>,
) => DataFile | Promise<DataFile>

const KEY_BYTES = 40
const MILLISECONDS_TO_2000 = Date.UTC(2000, 0)
const DAY_MILLISECONDS = 86_400_000
/** The size of a row in the stream of PostgreSQL, at least, and of the responses that are written at once, about. */
const MIN_ROW_BYTES = 100
const PART_BYTES = 2_000_000

/**
 * Writes a file with types: the variables of the file for statistics programs with their labels, and the values of each
 * response. A query first counts the responses and measures the texts, because headers contain them.
 */
export class DataLines implements Lines, CellSink {
  readonly fields: readonly string[]
  readonly columns: readonly FileColumn[] = []
  header: Buffer = EMPTY
  partBytes = MIN_ROW_BYTES
  readonly #rows: StatisticsRows
  readonly #plan: LinesPlan
  readonly #create: CreateDataFile
  readonly #types: readonly VariableType[]
  #file!: DataFile

  constructor(plan: LinesPlan, create: CreateDataFile) {
    this.#plan = plan
    this.#create = create
    this.#rows = new StatisticsRows(plan)
    this.fields = this.#rows.fields
    this.#types = this.#rows.variables.map(({ type }) => type)
  }

  async prepare(session: ExportSession, rows: Query): Promise<void> {
    const { variables } = this.#rows
    const { questionnaire: q, options, files, survey } = this.#plan
    const [found] = await session.select<Measured>(measureQuery(variables, rows, survey))
    const { cases, changed, widths } = found!
    const plan = {
      title: plainLabel(textIn(q.title, options.language ?? q.defaultLanguage, q)),
      product: `Canvass ${PROGRAM_VERSION}`,
      changed: new Date(Math.floor(changed ?? 0) * 1000),
      cases,
      variables,
      widths: variables.map((variable, i) =>
        variable.type === 'text' ? textWidth(variable, widths[i] ?? 0, files) : 0,
      ),
    }
    this.#file = await this.#create(plan, async (file) => {
      this.#file = file
      for await (const _ of blocksOf((await session.copy(rows))(), this, options)) {
        // Nothing is written.
      }
    })
    this.header = this.#file.header
    this.partBytes = MIN_ROW_BYTES * Math.ceil(PART_BYTES / this.#file.caseBytes)
  }

  write(tuples: Tuples, bytes: Buffer, _: number, out: Output): void {
    const { start, end } = tuples
    for (const [i, field] of this.#rows.meta.entries()) this.#meta(field, i, bytes, start[i]!, end[i]!)
    this.#rows.answers(tuples, bytes, this)
    this.#file.endCase(out)
  }

  end(out: Output): void {
    this.#file.end(out)
  }

  get passes(): number {
    return this.#file.passes ?? 1
  }

  nextPass(): void {
    this.#file.nextPass?.()
  }

  missing(index: number): void {
    this.#file.missing(index)
  }

  prepared(index: number, { bytes, number }: PreparedCell): void {
    if (this.#types[index] === 'text') this.#file.text(index, bytes, 0, bytes.length)
    else this.#file.number(index, number)
  }

  number(index: number, value: number): void {
    if (this.#types[index] === 'number') this.#file.number(index, value)
    else this.#file.text(index, Buffer.from(plainNumber(value)), 0, plainNumber(value).length)
  }

  text(index: number, bytes: Buffer, start: number, end: number): void {
    if (this.#types[index] === 'text') this.#file.text(index, bytes, start, end)
    else this.#file.number(index, numberIn(bytes.toString('utf8', start, end)))
  }

  date(index: number, text: string): void {
    this.#file.instant(index, instantIn(text, this.#types[index]!))
  }

  #meta({ type }: VariableMeta, index: number, bytes: Buffer, start: number, end: number): void {
    const file = this.#file
    if (start === -1) file.missing(index)
    else if (type === 'text') file.text(index, bytes, start, end)
    else if (type === 'key') file.text(index, Buffer.from(bytes.toString('hex', start, end)), 0, KEY_BYTES)
    else if (type === 'float') file.number(index, bytes.readDoubleBE(start))
    else if (type === 'time')
      file.instant(index, Math.floor(integerAt(bytes, start, end) / 1e6) * 1000 + MILLISECONDS_TO_2000)
    else file.number(index, integerAt(bytes, start, end))
  }
}

const EMPTY = Buffer.alloc(0)

/** What a query says about the rows: their number, the time of the last change in seconds, and lengths of texts. */
interface Measured {
  cases: number
  changed: number | null
  widths: readonly (number | null)[]
}

/** Selects the length of the longest text of each variable in bytes, as it is stored. */
function measureQuery(variables: readonly Variable[], { sql, parameters }: Query, survey: number): Query {
  const keys: string[] = []
  const lengths = variables.map(({ source, type }) => {
    if (type !== 'text' || ('meta' in source && source.meta.type === 'key')) return '0'
    if ('meta' in source) return `max(octet_length(selected.${source.meta.column}))`
    keys.push(source.field.storedKey)
    return `max(octet_length(selected.answers->>$${parameters.length + 1 + keys.length}::text))`
  })
  return {
    sql: `select count(*)::integer as cases, extract(epoch from greatest(max(selected.updated_at),
      (select updated_at from survey where id = $${parameters.length + 1}::bigint)))::float8 as changed,
      array[${lengths.join(', ')}]::integer[] as widths from (${sql}) as selected`,
    parameters: [...parameters, survey, ...keys],
  }
}

/** Length of the key of a file, and of the separator before the next key. */
const FILE_KEY_BYTES = 33

/** Returns the maximum length of a text in the file, from the maximum length of the stored text. */
function textWidth({ source, values }: Variable, stored: number, files: string): number {
  if ('meta' in source && source.meta.type === 'key') return KEY_BYTES
  const isFile = 'field' in source && source.field.type === 'file'
  const addresses = isFile ? Math.ceil((stored + 1) / FILE_KEY_BYTES) * (files.length + FILE_KEY_BYTES + 1) : 0
  // A position in a list that was stored when the question had another type can have more digits than its number.
  const positions = 'field' in source && source.field.choices.length > 0 ? 2 * stored : stored
  const codes = values.map(({ value }) => Buffer.byteLength(value))
  return Math.max(1, positions, addresses, ...codes)
}

/** Returns a date or time without its time zone; NaN for any other text. */
function instantIn(text: string, type: VariableType): number {
  const parsed = parseIsoDatetime(text.replace(/(?:Z|[+-]\d{2}:?\d{2})$/i, ''))
  if (!parsed) return Number.NaN
  if (type === 'time') return ((parsed.instant % DAY_MILLISECONDS) + DAY_MILLISECONDS) % DAY_MILLISECONDS
  return parsed.format === 'time' ? Number.NaN : parsed.instant
}
