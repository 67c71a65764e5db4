/** The options of one call. */
export interface CallOptions {
  /** Additional headers, such as `If-Match`. */
  headers?: Headers | Readonly<Record<string, string | undefined>>
  /** The maximum time without data in seconds, instead of that of the client. */
  timeout?: number
  /** The maximum number of retries, instead of that of the client. */
  maxRetries?: number
  /** Cancels the call, also while it waits for a retry. */
  signal?: AbortSignal
  /** How to return the body. Default: parsed JSON, text, or a `Blob`, depending on its type. */
  parseAs?: 'auto' | 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
}

/** The options of a call that creates something. */
export interface PostOptions extends CallOptions {
  /**
   * The key of the call, under which the service executes it at most once in 24 hours. The package creates a key for each
   * call and sends it with all its retries. With your own key, a call is also executed once if your program repeats it.
   */
  idempotencyKey?: string
}

/** The shape of the generated types of operations. */
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

/** The parameters of an operation without those in the path, and the options of the call. */
export type WithoutPath<Data extends OperationData, Call extends CallOptions = CallOptions> = Omit<
  Data,
  'url' | 'headers' | 'path'
> &
  Call

/** The options of all calls of a client. */
export interface ClientOptions {
  /** The maximum number of retries of a call. Default: 3. */
  maxRetries?: number
  /** @deprecated Use `maxRetries`. */
  retries?: number
  /** The maximum delay before a retry in seconds. If `Retry-After` is longer, the error is thrown. Default: 60. */
  maxRetryDelay?: number
  /**
   * The maximum time without data in seconds; then the attempt fails. Default: 60. To limit the total time of a call, for
   * example of an export, use its `signal`.
   */
  timeout?: number
  /** A custom `fetch`, for a proxy or a test. */
  fetch?: typeof fetch
}
