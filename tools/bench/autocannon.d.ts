/** The types of the parts of autocannon 9 that the benchmarks use; the package has no types. */
declare module 'autocannon' {
  interface Request {
    method?: string
    path?: string
    headers?: Record<string, string>
    body?: string
  }
  interface Client {
    setRequests(requests: Request[]): void
    on(event: 'response', listener: () => void): void
  }
  interface Options {
    url: string
    connections: number
    /** Seconds. */
    duration?: number
    /** The number of requests, instead of a duration. */
    amount?: number
    /** Whether each request has an ID of its own instead of `[<id>]`. */
    idReplacement?: boolean
    method?: string
    headers?: Record<string, string>
    body?: string
    /** Is called with each connection before the connection sends a request. */
    setupClient?(client: Client): void
    /** Requests that each connection sends one after the other. */
    requests?: Request[]
  }
  interface Result {
    requests: { total: number }
    /** Milliseconds. */
    latency: { p99: number }
    duration: number
    non2xx: number
    '3xx': number
    errors: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
