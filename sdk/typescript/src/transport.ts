import { type Arrival, readBody, type Watch, watch } from './body.js'
import { APIConnectionError, APITimeoutError, CanvassError, errorOf } from './error.js'
import type { CallOptions, ClientOptions, PostOptions } from './options.js'
import { APIPromise, type APIResponse } from './promise.js'
import { queryString } from './query.js'
import { rateLimitOf } from './rate-limit.js'
import { maybeSent, retryDelay, sleep } from './retry.js'
import { version } from './version.js'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The parameters of a call of any operation. */
export interface CallParameters extends CallOptions, Pick<PostOptions, 'idempotencyKey'> {
  path?: object
  query?: object
  body?: unknown
}

/** The properties of an operation that differ from the default. */
export interface OperationTraits {
  /** The names of the query parameters whose lists are joined with commas. */
  joined?: readonly string[]
  /** The type of the body. Default: JSON. */
  contentType?: string
}

interface Attempt {
  retries: number
  maybeApplied: boolean
}

/** Sends requests to one version of the API. Adds the credentials, retries failed requests, and throws errors. */
export class Transport {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #options: ClientOptions

  /**
   * @param base the address of the API: `https://survey.example.org/api/v3`
   * @param apiVersion the version of the OpenAPI document from which the operations were generated
   */
  constructor(base: string, apiVersion: string, authorization: string, options: ClientOptions) {
    this.#base = base
    this.#headers = { Authorization: authorization, ...userAgent(apiVersion) }
    this.#options = options
  }

  /**
   * Calls an operation.
   * @param template the path of the operation, with parameter names in braces
   */
  call<T>(
    method: Method,
    template: string,
    parameters: CallParameters = {},
    traits: OperationTraits = {},
  ): APIPromise<T> {
    return new APIPromise(this.#retry(() => this.#request(method, template, parameters, traits), parameters))
  }

  #request(method: Method, template: string, parameters: CallParameters, traits: OperationTraits): Request {
    const { query = {}, body } = parameters
    const path = parameters.path as Readonly<Record<string, unknown>> | undefined
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path?.[name])))
    const search = queryString(query as Record<string, unknown>, new Set(traits.joined))
    const headers = new Headers(this.#headers)
    const { contentType = 'application/json' } = traits
    if (body !== undefined) headers.set('Content-Type', contentType)
    if (method === 'POST') headers.set('Idempotency-Key', parameters.idempotencyKey ?? newIdempotencyKey())
    for (const [name, value] of entriesOf(parameters.headers)) headers.set(name, value)
    return new Request(`${this.#base}${filled}${search && `?${search}`}`, {
      method,
      headers,
      ...(body !== undefined && { body: contentType === 'application/json' ? JSON.stringify(body) : (body as string) }),
    })
  }

  async #retry<T>(build: () => Request, parameters: CallParameters): Promise<APIResponse<T>> {
    const { maxRetries = this.#options.maxRetries ?? this.#options.retries ?? 3, signal } = parameters
    // All attempts are copies of the same request, so they have the same idempotency key.
    const request = build()
    const reads = request.method === 'GET'
    let maybeApplied = false
    for (let retries = 0; ; retries += 1) {
      try {
        return await this.#send<T>(request.clone(), parameters, { retries, maybeApplied: maybeApplied && !reads })
      } catch (error) {
        if (!(error instanceof CanvassError)) throw error
        const delay = retryDelay(error, maxRetries, this.#options.maxRetryDelay ?? 60)
        if (delay === undefined) throw error
        maybeApplied = error.maybeApplied
        await sleep(delay, signal)
      }
    }
  }

  /**
   * Makes one attempt. Also reads the body of the response, unless the body is returned as a stream.
   * @throws CanvassError if the service returns an error, or if there is no response from the service
   */
  async #send<T>(request: Request, parameters: CallParameters, attempt: Attempt): Promise<APIResponse<T>> {
    const { fetch = globalThis.fetch, timeout: clientTimeout = 60 } = this.#options
    const { timeout = clientTimeout, parseAs = 'auto', signal } = parameters
    const watched = watch(timeout, signal)
    const writes = request.method !== 'GET'
    let arrival: Arrival
    let response: Response
    try {
      // `fetch` copies the request, and the signal of the original can be garbage collected before it aborts the copy.
      const options = { signal: watched.signal }
      response = await fetch(new Request(request, options), options)
      arrival = await readBody(response, response.ok ? parseAs : 'text', watched)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw connectionError(cause, watched, request, {
        ...attempt,
        maybeApplied: attempt.maybeApplied || (writes && maybeSent(cause)),
      })
    } finally {
      watched.stop()
    }
    const { headers, status } = response
    if (!response.ok || arrival.notCanvass) {
      const maybeApplied = attempt.maybeApplied || (writes && status >= 500 && status !== 503)
      throw errorOf({ ...attempt, maybeApplied, response, body: arrival.data })
    }
    const requestId = headers.get('x-request-id') ?? undefined
    const { retries } = attempt
    return { data: arrival.data as T, status, headers, requestId, rateLimit: rateLimitOf(headers), retries }
  }
}

/** Returns 128 random bits in hexadecimal. `crypto.randomUUID` is missing on pages without HTTPS. */
const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Returns the headers whose values are not undefined. */
function entriesOf(headers: CallOptions['headers'] = {}): [string, string][] {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers)
  return entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
}

/**
 * Returns the User-Agent header. Returns no header in a browser, because a custom header would cause a CORS preflight
 * request.
 */
function userAgent(apiVersion: string): Record<string, string> {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  const node = process?.versions?.node
  return node ? { 'User-Agent': `canvass-client-typescript/${version} canvass-api/${apiVersion} node/${node}` } : {}
}

function connectionError(cause: unknown, { timedOut }: Watch, { url }: Request, attempt: Attempt): CanvassError {
  const { host } = new URL(url)
  if (timedOut())
    return new APITimeoutError({ ...attempt, message: `No data from ${host} within the timeout`, cause }, 'timeout')
  const { message = '' } = ((cause as Error).cause ?? cause) as { message?: string }
  return new APIConnectionError(
    { ...attempt, message: `No response from ${host}: ${message}`, cause },
    'connection_failed',
  )
}
