import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'koa'

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
const compressions = {
  br: (bytes: Buffer): Promise<Buffer> => promisify(brotliCompress)(bytes, QUALITY),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const
type Coding = keyof typeof compressions

/**
 * A body that is the same for everybody and never changes, with its compressed forms. Each form is made once, when a
 * client first asks for it. Bodies with secrets must not be compressed together with what a stranger wrote (BREACH).
 */
export class Compressible {
  readonly #bytes: Buffer
  readonly #forms: Partial<Record<Coding, Promise<Buffer>>> = {}

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Returns the coding that the client prefers; undefined for none. Sets `Vary`. */
  codingFor(ctx: Context): Coding | undefined {
    ctx.vary('Accept-Encoding')
    const coding = ctx.acceptsEncodings('br', 'gzip', 'identity')
    return coding === 'br' || coding === 'gzip' ? coding : undefined
  }

  /** Sends the body in a coding that {@link codingFor} returned. */
  async send(ctx: Context, coding: Coding | undefined): Promise<void> {
    if (!coding) {
      ctx.body = this.#bytes
      return
    }
    this.#forms[coding] ??= compressions[coding](this.#bytes)
    ctx.body = await this.#forms[coding]
    ctx.set('Content-Encoding', coding)
  }
}
