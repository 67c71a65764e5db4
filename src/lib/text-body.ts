import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createInflateRaw, deflateRaw } from 'node:zlib'

const CHUNK_CHARACTERS = 16_384
/** Time without reading after which the rest is compressed, in milliseconds. */
const PAUSE_MS = 100

const compress = promisify(deflateRaw)

/** Returns whether a text must not be cut before a position: the position is inside a surrogate pair. */
const isInsidePair = (text: string, position: number): boolean => /[\uD800-\uDBFF]/.test(text[position - 1] ?? '')

/**
 * A text that is sent in chunks, as fast as the client reads. If the client pauses, the rest is kept compressed, so
 * that clients which do not read use little memory. A client that reads costs nothing more.
 */
export class TextBody extends Readable {
  #text: string
  #offset = 0
  #timer: NodeJS.Timeout | undefined
  #compressed: Buffer | undefined
  #chunks: NodeJS.AsyncIterator<Buffer> | undefined

  constructor(text: string) {
    super({ highWaterMark: CHUNK_CHARACTERS })
    this.#text = text
  }

  override _read(): void {
    clearTimeout(this.#timer)
    if (this.#compressed) this.#readCompressed(this.#compressed)
    else this.#readText()
  }

  #readText(): void {
    if (this.#offset >= this.#text.length) {
      this.push(null)
      return
    }
    const end = this.#offset + CHUNK_CHARACTERS
    const chunk = this.#text.slice(this.#offset, isInsidePair(this.#text, end) ? end + 1 : end)
    this.#offset += chunk.length
    this.#timer = setTimeout(() => void this.#compress(), PAUSE_MS).unref()
    this.push(Buffer.from(chunk))
  }

  async #compress(): Promise<void> {
    const offset = this.#offset
    const compressed = await compress(Buffer.from(this.#text.slice(offset)), { level: 1 })
    // The client has read meanwhile.
    if (this.#offset !== offset || this.destroyed) return
    this.#compressed = compressed
    this.#text = ''
  }

  #readCompressed(compressed: Buffer): void {
    if (!this.#chunks) {
      const inflate = createInflateRaw({ chunkSize: CHUNK_CHARACTERS })
      this.#chunks = inflate[Symbol.asyncIterator]()
      this.once('close', () => inflate.destroy())
      inflate.end(compressed)
    }
    this.#chunks.next().then(
      ({ value, done }) => this.push(done ? null : value),
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#text = ''
    this.#compressed = undefined
    done(error)
  }
}
