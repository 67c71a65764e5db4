import { transcode } from 'node:buffer'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import type { MetaKey } from '../../structure/meta-fields.ts'
import type { QuestionNumbers } from '../../structure/numbering.ts'
import type { Questionnaire } from '../../structure/questionnaire.ts'
import type { StoredResponse } from '../filter/where.ts'
import { cellFormat } from './cell.ts'
import type { CellKind, ExportOptions } from './columns.ts'
import { Output, Tuples } from './output.ts'
import type { ExportSession, Query } from './session.ts'

/** U+FEFF at the start of a file, for programs that detect the encoding. */
const BYTE_ORDER_MARK = '\ufeff'

/** The rows and the format of a file. */
export interface FileSource {
  /**
   * Selects `lines.fields` of the responses in order of id, starting with `firstId`. If `firstId` is absent, selects
   * all responses.
   */
  rows(firstId?: number): Query
  lines: Lines
  options: ExportOptions
}

/**
 * Bytes of a file: the header, or all lines of one or more responses. `offset` is the number of bytes of the file
 * before them.
 */
interface FileBlock {
  offset: number
  bytes: Buffer
}

/**
 * Writes a file, starting at the last row boundary of the index that is not after the offset `from`. Adds new row
 * boundaries and the length of the file to the index.
 * @throws {Error} the database's error
 */
export async function* writeFile(
  session: ExportSession,
  { rows, lines, options }: FileSource,
  index: RowIndex,
  from = 0,
): AsyncGenerator<FileBlock> {
  const boundary = index.before(from)
  if (!boundary) await lines.prepare?.(session, rows())
  const query = rows(boundary?.id)
  const startCopy = await session.copy(query)
  const encode = options.tabSeparated ? (text: Buffer) => transcode(text, 'utf8', 'utf16le') : (text: Buffer) => text
  let offset = boundary?.offset ?? 0
  if (!boundary) {
    const mark = options.bom || options.tabSeparated ? BYTE_ORDER_MARK : ''
    const { header } = lines
    const bytes = typeof header === 'string' ? encode(Buffer.from(mark + header)) : header
    yield { offset, bytes }
    offset = bytes.length
  }
  let count = { rows: 0 }
  for (let pass = 1; pass <= (lines.passes ?? 1); pass += 1) {
    if (pass > 1) lines.nextPass?.()
    const copy = pass > 1 ? await session.copy(query) : startCopy
    count = { rows: 0 }
    for await (const { text, nextId } of blocksOf(copy(), lines, options, count, pass)) {
      const block = { offset, bytes: encode(text) }
      offset += block.bytes.length
      if (nextId !== undefined) index.add({ offset, id: nextId })
      yield block
    }
  }
  // The length can differ from the length in the index if an operator has changed responses with SQL. Such a change is
  // not in the change feed, so the ETag, which selects the index, is still the same.
  if (index.length !== offset && index.length !== undefined) index.clear()
  index.length = offset
  if (!boundary) index.rows = count.rows
}

/**
 * Returns the length of a file. If the index does not contain the length, generates the rest of the file to measure it.
 */
export async function measureFile(session: ExportSession, source: FileSource, index: RowIndex): Promise<number> {
  if (index.length === undefined)
    for await (const _ of writeFile(session, source, index, Number.POSITIVE_INFINITY)) {
      // The rows are read only to find the length.
    }
  return index.length!
}

/** Lines in UTF-8. `nextId` is the id of the response whose line follows; undefined if no line follows. */
interface TextBlock {
  text: Buffer
  nextId: number | undefined
}

/** Writes the lines of all rows of a stream. */
export async function* blocksOf(
  chunks: AsyncIterable<Buffer>,
  lines: Lines,
  options: ExportOptions,
  count = { rows: 0 },
  pass = 1,
): AsyncGenerator<TextBlock> {
  let fullBlocks: TextBlock[] = []
  const tuples = new Tuples(lines.fields.length)
  const id = lines.fields.indexOf('id')
  /** The row that is written next when a block is full. */
  let row: Buffer | undefined
  const out = new Output(cellFormat(options), (text) =>
    fullBlocks.push({ text, nextId: row && Number(row.readBigInt64BE(tuples.start[id])) }),
  )
  const write = (bytes: Buffer, length: number) => {
    row = bytes
    count.rows += 1
    lines.write(tuples, bytes, length, out)
  }
  for await (const chunk of chunks) {
    const partBytes = lines.partBytes ?? chunk.length
    for (let at = 0; at < chunk.length; at += partBytes) {
      tuples.read(chunk.subarray(at, at + partBytes), write)
      if (fullBlocks.length === 0) continue
      yield* fullBlocks
      fullBlocks = []
    }
  }
  if (!tuples.ended) throw new Error('PostgreSQL stopped sending rows before the last one')
  row = undefined
  if (pass === (lines.passes ?? 1)) lines.end?.(out)
  out.flush()
  yield* fullBlocks
}

/** A row boundary of a file. */
interface RowBoundary {
  /** Bytes before the row. */
  offset: number
  /** Id of the response whose first line begins at the boundary. */
  id: number
}

/** Distance between boundaries at first. The distance doubles whenever a file has {@link MAX_BOUNDARIES}. */
const MIN_SPACING_BYTES = 256 * 1024
const MAX_BOUNDARIES = 2_048
/** Maximum number of files whose boundaries a server keeps. The boundaries of a file take at most 64 KB. */
const MAX_FILES = 100

/**
 * The length and some row boundaries of a file, collected while the file is written. Writing can begin at any boundary,
 * so the end of a file can be sent without writing the part before it.
 */
export class RowIndex {
  /** Length of the file in bytes; undefined until the whole file has been written. */
  length: number | undefined
  /** Number of responses in the file; undefined until the whole file has been written at once. */
  rows: number | undefined
  #boundaries: RowBoundary[] = []
  #spacing = MIN_SPACING_BYTES

  /** Adds a boundary, unless it lies before the last boundary or close to it. */
  add(boundary: RowBoundary): void {
    if (boundary.offset < (this.last?.offset ?? 0) + this.#spacing) return
    this.#boundaries.push(boundary)
    if (this.#boundaries.length < MAX_BOUNDARIES) return
    this.#boundaries = this.#boundaries.filter((_, position) => position % 2 === 1)
    this.#spacing *= 2
  }

  /** Deletes the length and all boundaries, because the file no longer has the bytes for which they were collected. */
  clear(): void {
    this.length = undefined
    this.#boundaries = []
  }

  get last(): RowBoundary | undefined {
    return this.#boundaries.at(-1)
  }

  /** Returns the last boundary at or before an offset; undefined if there is none. */
  before(offset: number): RowBoundary | undefined {
    let [low, high] = [0, this.#boundaries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#boundaries[middle]!.offset <= offset) low = middle + 1
      else high = middle
    }
    return this.#boundaries[low - 1]
  }
}

const caches = new WeakMap<Pool, LRUCache<string, RowIndex>>()

/** Returns the index of the file with an ETag. A new index is empty. Indexes are lost when the server stops. */
export function rowIndexOf(pool: Pool, etag: string): RowIndex {
  let cache = caches.get(pool)
  if (!cache) {
    cache = new LRUCache({ max: MAX_FILES })
    caches.set(pool, cache)
  }
  let index = cache.get(etag)
  if (!index) {
    index = new RowIndex()
    cache.set(etag, index)
  }
  return index
}

/** A column of the file. */
export interface FileColumn {
  kind: CellKind
  key: string
  /** The meta field of the column; absent for a column of a question. */
  meta?: MetaKey
}

/** Writes rows of `response` as lines of the file. */
export interface Lines {
  /** Columns of `response` to select, in this order. */
  readonly fields: readonly string[]
  /** The first line, with its line break, or the bytes before the rows. */
  readonly header: string | Buffer
  readonly columns: readonly FileColumn[]
  /** Writes the line of the current row of `tuples`. If the export has one line per answer, writes several lines. */
  write(tuples: Tuples, bytes: Buffer, length: number, out: Output): void
  /** Reads what the header says about the rows. Called before the header is read. */
  prepare?(session: ExportSession, rows: Query): Promise<void>
  /** Number of bytes of rows that are written at once; absent: any, because lines are about as long as rows. */
  readonly partBytes?: number
  /** Number of times that all rows are written; absent: once. */
  readonly passes?: number
  /** Begins to write the rows again. */
  nextPass?(): void
  /** Writes what follows the last row, after the last pass. */
  end?(out: Output): void
}

/** Parameters of {@link createLines}. */
export interface LinesPlan {
  questionnaire: Questionnaire
  options: ExportOptions
  /** URL of the survey. The URLs of its responses begin with this URL. */
  address: string
  /** The beginning of the address of every file of the survey. The key of the file is appended to it. */
  files: string
  /** The numbers of the questions, for the names in a file for statistics programs. */
  numbers: QuestionNumbers
  /** ID of the survey. */
  survey: number
  /** Returns a response as version 3 of the API does. */
  view(row: StoredResponse): object
}
