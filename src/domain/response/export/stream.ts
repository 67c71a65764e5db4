import { transcode } from 'node:buffer'
import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { cellFormat } from './cell.ts'
import type { Lines } from './lines.ts'
import type { ExportOptions } from './options.ts'
import { Output } from './output.ts'
import { type ExportSession, openSession } from './session.ts'
import { Tuples } from './tuples.ts'

/** U+FEFF at the start of a file, for programs that detect the encoding. */
const BYTE_ORDER_MARK = '\ufeff'

/** Time after which an export is aborted if its client reads nothing: it holds a connection and a snapshot. */
const STALL_TIMEOUT_MS = 5 * 60_000

export interface ExportSource {
  pool: Pool
  /** Selects `lines.fields` in the order of the lines. */
  query: { sql: string; parameters: readonly unknown[] }
  lines: Lines
  options: ExportOptions
}

/**
 * Writes the file while it is read. The connection is opened at the first read, and rows are queried after the header has
 * been read. Destroying the stream closes the connection to PostgreSQL immediately. An error destroys the stream, so that
 * an incomplete file never looks complete.
 */
export class ExportStream extends Readable {
  readonly #blocks: AsyncGenerator<Buffer>
  #session: ExportSession | undefined
  #stallTimer: NodeJS.Timeout | undefined

  constructor(source: ExportSource) {
    // No read-ahead, so that a client that reads only the header starts no query.
    super({ highWaterMark: 1 })
    this.#blocks = this.#generate(source)
  }

  override _read(): void {
    clearTimeout(this.#stallTimer)
    this.#blocks.next().then(
      ({ value, done }) => {
        if (!done)
          this.#stallTimer = setTimeout(
            () => this.destroy(new Error('the reader of an export stalled')),
            STALL_TIMEOUT_MS,
          ).unref()
        this.push(done ? null : value)
      },
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stallTimer)
    this.#session?.abort()
    done(error)
  }

  async *#generate({ pool, query, lines, options }: ExportSource): AsyncGenerator<Buffer> {
    const session = await openSession(pool, query)
    this.#session = session
    try {
      if (this.destroyed) return
      const encode = options.tabSeparated
        ? (text: Buffer) => transcode(text, 'utf8', 'utf16le')
        : (text: Buffer) => text
      yield encode(Buffer.from(`${options.bom || options.tabSeparated ? BYTE_ORDER_MARK : ''}${lines.header}`))
      for await (const block of blocksOf(session, lines, options)) yield encode(block)
      await session.finish()
    } finally {
      session.abort()
    }
  }
}

async function* blocksOf(session: ExportSession, lines: Lines, options: ExportOptions): AsyncGenerator<Buffer> {
  let fullBlocks: Buffer[] = []
  const out = new Output(cellFormat(options), (block) => fullBlocks.push(block))
  const tuples = new Tuples(lines.fields.length)
  const write = (bytes: Buffer, length: number) => lines.write(tuples, bytes, length, out)
  for await (const chunk of session.rows()) {
    tuples.read(chunk, write)
    if (fullBlocks.length === 0) continue
    yield* fullBlocks
    fullBlocks = []
  }
  if (!tuples.ended) throw new Error('PostgreSQL stopped sending rows before the last one')
  out.flush()
  yield* fullBlocks
}
