import { Piscina } from 'piscina'

/** Why a picture was not drawn: too many requests wait already, or drawing took too long. */
export class PictureError extends Error {
  override name = 'PictureError'
  readonly reason: 'queue_full' | 'timeout'

  constructor(reason: PictureError['reason'], options?: ErrorOptions) {
    super(`No picture was drawn: ${reason}.`, options)
    this.reason = reason
  }
}

/** Converts SVG drawings to PNG for programs that do not accept SVG. */
export interface Pictures {
  /**
   * Returns an SVG file as a PNG file.
   * @throws {PictureError}
   * @throws what the renderer throws
   */
  png(svg: string): Promise<Buffer>
  close(): Promise<void>
}

export interface PictureOptions {
  /** The worker thread's script; its default export takes the SVG text and returns the bytes of the PNG file. */
  worker: URL
  /** Read by the worker as `Piscina.workerData`. */
  workerData?: unknown
  /** Pictures that may wait while one is drawn. */
  maxWaiting: number
  /** How long one picture may take, waiting included. */
  timeoutMs: number
}

/** Without work for so long the thread ends: its memory (some 100 MB) costs more than half a second of preparation. */
const IDLE_TIMEOUT_MS = 60_000

/** One thread draws: a picture takes 0.1 to 3 s of a processor, and requests need processors too. */
const DEFAULTS: PictureOptions = {
  worker: new URL('./render-png.ts', import.meta.url),
  maxWaiting: 20,
  timeoutMs: 20_000,
}

/** Creates the renderer. Its thread starts with the first picture. */
export function createPictures({ worker, workerData, maxWaiting, timeoutMs } = DEFAULTS): Pictures {
  const pool = new Piscina({
    filename: worker.href,
    workerData,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
  })
  let drawing = 0
  return {
    png: async (svg) => {
      if (drawing > maxWaiting) throw new PictureError('queue_full')
      drawing += 1
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        return Buffer.from(await pool.run(svg, { signal }))
      } catch (error) {
        throw signal.aborted ? new PictureError('timeout', { cause: error }) : error
      } finally {
        drawing -= 1
      }
    },
    close: () => pool.destroy(),
  }
}
