import { Piscina } from 'piscina'

/** An image was not rendered: too many requests are waiting, or rendering took too long. */
export class PictureError extends Error {
  override name = 'PictureError'
  readonly reason: 'queue_full' | 'timeout'

  constructor(reason: PictureError['reason'], options?: ErrorOptions) {
    super(`The image was not rendered: ${reason}.`, options)
    this.reason = reason
  }
}

/** Converts SVG images to PNG for programs that do not accept SVG. */
export interface Pictures {
  /**
   * Returns an SVG file as a PNG file.
   * @throws {PictureError}; any error of the renderer unchanged
   */
  png(svg: string): Promise<Buffer>
  close(): Promise<void>
}

export interface PictureOptions {
  /** The script of the worker thread. Its default export converts SVG text to the bytes of a PNG file. */
  worker: URL
  /** Available to the worker as `Piscina.workerData`. */
  workerData?: unknown
  /** Maximum number of waiting images. */
  maxWaiting: number
  /** Maximum duration of one image, including the wait. */
  timeoutMs: number
}

/** Idle time after which the thread ends. The thread uses about 100 MB, and starting it again takes half a second. */
const IDLE_TIMEOUT_MS = 60_000

/** The defaults. There is one thread, because an image takes 0.1 to 3 s of CPU time that requests also need. */
const DEFAULTS: PictureOptions = {
  worker: new URL('./render-png.ts', import.meta.url),
  maxWaiting: 20,
  timeoutMs: 20_000,
}

/** Creates the renderer. Its thread starts with the first image. */
export function createPictures({ worker, workerData, maxWaiting, timeoutMs } = DEFAULTS): Pictures {
  const pool = new Piscina({
    filename: worker.href,
    workerData,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
  })
  let pending = 0
  return {
    png: async (svg) => {
      if (pending > maxWaiting) throw new PictureError('queue_full')
      pending += 1
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        return Buffer.from(await pool.run(svg, { signal }))
      } catch (error) {
        throw signal.aborted ? new PictureError('timeout', { cause: error }) : error
      } finally {
        pending -= 1
      }
    },
    close: () => pool.destroy(),
  }
}
