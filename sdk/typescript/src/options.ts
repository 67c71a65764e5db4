/** The options of one call. */
export interface CallOptions {
  /** Additional headers, such as `If-Match`. */
  headers?: Headers | Readonly<Record<string, string | undefined>>
  /** The maximum time without data in seconds. Overrides the option of the client. */
  timeout?: number
  /** The maximum number of retries. Overrides the option of the client. */
  maxRetries?: number
  /** Cancels the call, even while the call waits before a retry. */
  signal?: AbortSignal
  /**
   * How to return the body. By default, the content type determines whether the body is returned as parsed JSON, as
   * text or as a `Blob`.
   */
  parseAs?: 'auto' | 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
}

/** The options of a call that uses the method POST. */
export interface PostOptions extends CallOptions {
  /**
   * The idempotency key. Within 24 hours, the service executes calls with the same key only once. By default, the
   * package creates a key for each call, and sends this key with every retry of the call. If your program itself
   * repeats a call, pass the same key each time, so that the call is executed only once.
   */
  idempotencyKey?: string
}

/** The structure that the generated types of all operations have. */
interface OperationData {
  url: string
  headers?: unknown
}

/** The parameters of an operation, and the options of the call. */
export type Options<Data extends OperationData, Call extends CallOptions = CallOptions> = Omit<
  Data,
  'url' | 'headers'
> &
  Call

/** The parameters of an operation except those in the path, and the options of the call. */
export type WithoutPath<Data extends OperationData, Call extends CallOptions = CallOptions> = Omit<
  Data,
  'url' | 'headers' | 'path'
> &
  Call

/** The options of a client, which apply to all its calls. */
export interface ClientOptions {
  /** The maximum number of retries of a call. Default: 3. */
  maxRetries?: number
  /** @deprecated Use `maxRetries`. */
  retries?: number
  /**
   * The maximum delay before a retry in seconds. If the service requests a longer delay with `Retry-After`, the error
   * is thrown without a retry. Default: 60.
   */
  maxRetryDelay?: number
  /**
   * The time in seconds after which an attempt fails if no data arrives. Default: 60. To limit the total time of a
   * call, such as an export, pass a `signal` to the call.
   */
  timeout?: number
  /** A custom `fetch`, for a proxy or a test. */
  fetch?: typeof fetch
}
