import type { RateLimit } from './rate-limit.js'

/** The result of a call, with the status, headers and other properties of the response. */
export interface APIResponse<T> {
  /** The parsed body, which is also the result of `await` on the call. */
  data: T
  /** The HTTP status. */
  status: number
  /** The headers of the response, such as `ETag`. */
  headers: Headers
  /** The ID of the request. Include it when you report a problem. */
  requestId: string | undefined
  /** The state of the rate limit, if the response contains it. */
  rateLimit: RateLimit | undefined
  /** The number of retries before this response. */
  retries: number
}

/** The promise that a call returns. It resolves to the parsed body. */
export class APIPromise<T> extends Promise<T> {
  // Makes `then` return an ordinary promise, without `withResponse`.
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
    // The caller handles errors of the returned promise. An error of this promise must therefore not be reported as
    // unhandled.
    this.catch(() => undefined)
    return this.#response
  }
}
