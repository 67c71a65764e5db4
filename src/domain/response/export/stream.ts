import { Readable } from 'node:stream'
import type { ByteRange } from '../../../lib/byte-range.ts'
import { type FileSource, writeFile } from './file.ts'
import { RowIndex } from './row-index.ts'
import type { ExportSession } from './session.ts'

export interface ExportSource extends FileSource {
  /** An open session, or a function that opens one. */
  session: ExportSession | (() => Promise<ExportSession>)
  index?: RowIndex
  /** The part of the file to write. If absent, the whole file is written. */
  range?: ByteRange | undefined
}

/**
 * Writes the file while it is read: rows are queried after the header of the file has been read. Destroying the stream
 * closes the connection to PostgreSQL immediately, for example because its client does not read (`write-deadline.ts`). An error destroys the stream, so that an incomplete file never looks
 * complete.
 */
export class ExportStream extends Readable {
  readonly #blocks: AsyncGenerator<Buffer>
  #session: ExportSession | undefined

  constructor(source: ExportSource) {
    // Nothing is read in advance, so that a client that reads only the header of the file does not start a query.
    super({ highWaterMark: 1 })
    if (typeof source.session !== 'function') this.#session = source.session
    this.#blocks = this.#generate(source)
  }

  override _read(): void {
    this.#blocks.next().then(
      ({ value, done }) => this.push(done ? null : value),
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#session?.abort()
    done(error)
  }

  async *#generate({ session: source, index = new RowIndex(), range, ...file }: ExportSource): AsyncGenerator<Buffer> {
    const session = typeof source === 'function' ? await source() : source
    this.#session = session
    const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY }
    const { length } = index
    /** A part that is sent when the next part proves that the file has not become shorter. */
    let held: Buffer | undefined
    try {
      if (this.destroyed) return
      for await (const { offset, bytes } of writeFile(session, file, index, start)) {
        const part = bytes.subarray(Math.max(start - offset, 0), Math.max(end - offset, 0))
        if (part.length > 0 && range && end === length) {
          if (held) yield held
          held = part
        } else if (part.length > 0) yield part
        // For a range up to the end of the file, reads until the rows end, which proves that the file has the measured
        // length.
        if (offset + bytes.length >= end && end !== length) {
          session.abort()
          return
        }
      }
      if (range && index.length !== length) throw new Error('an export has changed since it was measured')
      if (held) yield held
      await session.finish()
    } finally {
      session.abort()
    }
  }
}
