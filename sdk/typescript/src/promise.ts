import type { RateLimit } from './rate-limit.js'

/** The result of a call with everything known about its response. */
export interface APIResponse<T> {
  /** What awaiting the call returns: the parsed body. */
  data: T
  /** The HTTP status. */
  status: number
  /** The headers of the response, such as `ETag`. */
  headers: Headers
  /** The ID of the request. Include it when you report a problem. */
  requestId: string | undefined
  /** The state of the rate limit, if the response names it. */
  rateLimit: RateLimit | undefined
  /** The number of retries before this response. */
  retries: number
}

/** The promise of a call: it resolves to the parsed body. */
export class APIPromise<T> extends Promise<T> {
  // `then` returns an ordinary promise.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  readonly #response: Promise<APIResponse<T>>

  constructor(response: Promise<APIResponse<T>>) {
    super((resolve, reject) => void response.then(({ data }) => resolve(data), reject))
    this.#response = response
  }

  /** Returns the parsed body together with status, headers, request ID, rate limit and number of retries. */
  withResponse(): Promise<APIResponse<T>> {
    // The caller handles the error of the returned promise, so this one must not count as unhandled.
    this.catch(() => undefined)
    return this.#response
  }
}
