import { Worker } from 'node:worker_threads'

/** Why a thread gave no answer: `busy` before it was asked, `late` or `lost` while it worked. */
export class ThreadError extends Error {
  override name = 'ThreadError'
  readonly why: 'busy' | 'late' | 'lost'

  constructor(why: ThreadError['why'], options?: ErrorOptions) {
    super(`The thread is ${why}.`, options)
    this.why = why
  }
}

export interface ThreadOptions {
  /** How many may wait for their turn. */
  line: number
  /** How long one piece of work may take, in milliseconds; the thread is ended then. */
  patience: number
  /** How long the thread is kept without work, in milliseconds. */
  idle: number
}

interface Piece<Given, Made> {
  given: Given
  resolve(made: Made): void
  reject(error: unknown): void
}

/**
 * Does work beside the event loop, one piece after the other, so that other requests go on. The thread is started when
 * there is work and ends when there is none, when it dies or takes too long; the next piece has a new one. It keeps no
 * process alive.
 */
export class Thread<Given, Made> {
  readonly #script: URL
  readonly #options: ThreadOptions
  readonly #line: Piece<Given, Made>[] = []
  #worker: Worker | undefined
  #current: Piece<Given, Made> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** @param script posts for each message it gets one back: what was made of it */
  constructor(script: URL, options: ThreadOptions) {
    this.#script = script
    this.#options = options
  }

  /** @throws {ThreadError} when too many are waiting, or the thread took too long or died */
  run(given: Given): Promise<Made> {
    if (this.#closed) return Promise.reject(new ThreadError('lost'))
    if (this.#current && this.#line.length >= this.#options.line) return Promise.reject(new ThreadError('busy'))
    return new Promise((resolve, reject) => {
      this.#line.push({ given, resolve, reject })
      if (!this.#current) this.#next()
    })
  }

  /** Ends the thread; whoever waits is refused. */
  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#line.splice(0)) reject(new ThreadError('lost'))
    await this.#end(new ThreadError('lost'))
  }

  #next(): void {
    clearTimeout(this.#timer)
    this.#current = this.#line.shift()
    if (this.#current) {
      this.#worker ??= this.#start()
      this.#worker.postMessage(this.#current.given)
    }
    const { patience, idle } = this.#options
    this.#timer = setTimeout(() => void this.#end(new ThreadError('late')), this.#current ? patience : idle).unref()
  }

  #start(): Worker {
    const worker = new Worker(this.#script)
    worker.unref()
    worker.on('message', (made: Made) => {
      if (worker !== this.#worker) return
      this.#current?.resolve(made)
      this.#next()
    })
    // Its error comes before its exit; of one that was let go neither matters any more.
    const gone = (cause?: unknown) => {
      if (worker === this.#worker) void this.#end(new ThreadError('lost', { cause }))
    }
    worker.on('error', gone)
    worker.on('exit', () => gone())
    return worker
  }

  /** Lets the thread go and goes on with the next piece. */
  async #end(why: ThreadError): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    clearTimeout(this.#timer)
    this.#current?.reject(why)
    this.#current = undefined
    if (this.#line.length > 0) this.#next()
    await worker?.terminate()
  }
}
