import { constants, zstdCompressSync } from 'node:zlib'
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { codedChoices } from '../../../structure/choices.ts'
import type { Output } from '../output.ts'
import type { DataFile, DataFilePlan } from './data-lines.ts'
import { isBinary, sourceOf, type Variable } from './variables.ts'

type SchemaElement = ParquetWriter['schema'][number]
/** The type of a column without its name. */
type ColumnType = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>
type Value = number | bigint | boolean | Uint8Array | null

const DAY_MILLISECONDS = 86_400_000
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** The key of the codebook in the metadata of the file. */
const CODEBOOK_KEY = 'codebook'

/**
 * A row group is written at once, so it has few values: the service answers other requests between two groups. The metadata
 * at the end of the file grow with the number of columns of all groups, so groups are larger in a large file.
 */
const MIN_GROUP_VALUES = 100_000
const MAX_GROUP_VALUES = 1_000_000
const MAX_CHUNKS = 20_000
/** Maximum length of all texts of a row group. */
const MAX_GROUP_BYTES = 8_000_000

/** Creates a Parquet file with one column per variable. */
export async function createParquetFile(plan: DataFilePlan): Promise<DataFile> {
  // The library takes memory that most processes never need.
  const library = await import('hyparquet-writer')
  const types = plan.variables.map(columnType)
  const writer = new library.ByteWriter()
  const columns = plan.variables.map(
    ({ name }, i): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...types[i]! }),
  )
  const parquet = new library.ParquetWriter({
    writer,
    schema: [{ name: 'responses', num_children: columns.length }, ...columns],
    kvMetadata: [{ key: CODEBOOK_KEY, value: JSON.stringify(codebookOf(plan)) }],
    createdBy: plan.product,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes, FAST) },
  })
  return new ParquetFile(plan, types, writer, parquet)
}

/** Returns the codebook: the title of the survey, and what is to say about each column. */
const codebookOf = ({ title, variables }: DataFilePlan) => ({
  title,
  variables: variables.map((variable) => {
    const { name, label, type, measure, missing, values } = variable
    return { name, label, type, measure, missing, values, ...sourceOf(variable) }
  }),
})

const INT32: ColumnType = { type: 'INT32' }
const INT64: ColumnType = { type: 'INT64' }
const DOUBLE: ColumnType = { type: 'DOUBLE' }
const BOOLEAN: ColumnType = { type: 'BOOLEAN' }
// DuckDB reads only the older `converted_type` of a text.
const STRING: ColumnType = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
const DATE: ColumnType = { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
const TIME: ColumnType = { type: 'INT32', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MILLIS' } }
const timestamp = (isAdjustedToUTC: boolean): ColumnType => ({
  type: 'INT64',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MILLIS' },
})

function columnType(variable: Variable): ColumnType {
  const { type, source } = variable
  if (type === 'text') return STRING
  if (type === 'date') return DATE
  if (type === 'time') return TIME
  // Times of the service are in UTC; those of respondents have no time zone.
  if (type === 'datetime') return timestamp('meta' in source)
  if ('meta' in source) return source.meta.type === 'float' ? DOUBLE : source.meta.type === 'state' ? INT32 : INT64
  const { field, choice } = source
  if (isBinary(variable)) return BOOLEAN
  const isWhole =
    choice || (field.choices.length > 0 && codedChoices(field).every(({ code }) => /^-?\d{1,9}$/.test(code)))
  return isWhole ? INT32 : DOUBLE
}

/** Collects the values of a row group by column, and writes the groups. */
class ParquetFile implements DataFile {
  readonly header: Buffer
  readonly caseBytes: number
  readonly #types: readonly ColumnType[]
  readonly #names: readonly string[]
  /** Whether the column contains the ID or a time of the response. */
  readonly #isRising: readonly boolean[]
  readonly #writer: ByteWriter
  readonly #parquet: ParquetWriter
  readonly #groupRows: number
  #columns: Value[][]
  #rows = 0
  #textBytes = 0

  constructor(
    { variables, cases }: DataFilePlan,
    types: readonly ColumnType[],
    writer: ByteWriter,
    parquet: ParquetWriter,
  ) {
    const count = variables.length
    this.#types = types
    this.#names = variables.map(({ name }) => name)
    this.#isRising = variables.map(
      ({ source }) => 'meta' in source && (source.meta.column === 'id' || source.meta.type === 'time'),
    )
    this.#writer = writer
    this.#parquet = parquet
    this.header = this.#take()
    const values = Math.max(MIN_GROUP_VALUES, Math.min(MAX_GROUP_VALUES, (cases * count * count) / MAX_CHUNKS))
    this.#groupRows = Math.ceil(values / count)
    this.caseBytes = 8 * count
    this.#columns = variables.map(() => [])
  }

  missing(index: number): void {
    this.#columns[index]!.push(null)
  }

  number(index: number, value: number): void {
    const { type } = this.#types[index]!
    const cell = Number.isFinite(value)
      ? type === 'INT64'
        ? BigInt(value)
        : type === 'BOOLEAN'
          ? value === 1
          : value
      : null
    this.#columns[index]!.push(cell)
  }

  text(index: number, bytes: Uint8Array, start: number, end: number): void {
    if (end === start) {
      this.missing(index)
      return
    }
    const column = this.#columns[index]!
    const last = column.at(-1)
    this.#textBytes += end - start
    column.push(last instanceof Uint8Array && isSame(last, bytes, start, end) ? last : copyOf(bytes, start, end))
  }

  instant(index: number, milliseconds: number): void {
    const { type, converted_type: converted } = this.#types[index]!
    if (converted === 'DATE') this.number(index, Math.floor(milliseconds / DAY_MILLISECONDS))
    else this.number(index, type === 'INT64' ? milliseconds : Math.trunc(milliseconds))
  }

  endCase(out: Output): void {
    this.#rows += 1
    if (this.#rows >= this.#groupRows || this.#textBytes > MAX_GROUP_BYTES) this.#endGroup(out)
  }

  end(out: Output): void {
    if (this.#rows > 0) this.#endGroup(out)
    this.#parquet.finish()
    this.#drain(out)
  }

  #endGroup(out: Output): void {
    const columnData = this.#columns.map((data, i) => ({
      name: this.#names[i]!,
      data,
      offsetIndex: false,
      // The smallest and the largest value of a group help readers only if the values rise with the responses.
      statistics: this.#isRising[i]!,
      // With Zstandard, a dictionary would save little more space, and takes as much time as everything else.
      encoding: 'PLAIN' as const,
    }))
    this.#parquet.write({ columnData, rowGroupSize: this.#rows })
    this.#columns = this.#columns.map(() => [])
    this.#rows = 0
    this.#textBytes = 0
    this.#drain(out)
  }

  #drain(out: Output): void {
    const bytes = this.#take()
    out.reserve(bytes.length)
    out.raw(bytes, 0, bytes.length)
  }

  /** Returns a copy of the written bytes, and begins to write at the start of the buffer again. */
  #take(): Buffer {
    const bytes = Buffer.from(this.#writer.getBytes())
    this.#writer.index = 0
    return bytes
  }
}

function isSame(last: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (last.length !== end - start) return false
  for (let i = start; i < end; i += 1) if (last[i - start] !== bytes[i]) return false
  return true
}

function copyOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}
