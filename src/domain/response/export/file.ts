import { transcode } from 'node:buffer'
import { cellFormat } from './cell.ts'
import type { Lines } from './lines.ts'
import type { ExportOptions } from './options.ts'
import { Output } from './output.ts'
import type { RowIndex } from './row-index.ts'
import type { ExportSession, Query } from './session.ts'
import { Tuples } from './tuples.ts'

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
export interface FileBlock {
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
  const startCopy = await session.copy(rows(boundary?.id))
  const encode = options.tabSeparated ? (text: Buffer) => transcode(text, 'utf8', 'utf16le') : (text: Buffer) => text
  let offset = boundary?.offset ?? 0
  if (!boundary) {
    const mark = options.bom || options.tabSeparated ? BYTE_ORDER_MARK : ''
    const { header } = lines
    const bytes = typeof header === 'string' ? encode(Buffer.from(mark + header)) : header
    yield { offset, bytes }
    offset = bytes.length
  }
  const count = { rows: 0 }
  for await (const { text, nextId } of blocksOf(startCopy(), lines, options, count)) {
    const block = { offset, bytes: encode(text) }
    offset += block.bytes.length
    if (nextId !== undefined) index.add({ offset, id: nextId })
    yield block
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

async function* blocksOf(
  chunks: AsyncIterable<Buffer>,
  lines: Lines,
  options: ExportOptions,
  count: { rows: number },
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
  lines.end?.(out)
  out.flush()
  yield* fullBlocks
}
