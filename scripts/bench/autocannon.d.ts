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
  }
  interface Options {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    method?: string
    headers?: Record<string, string>
    body?: string
    /** Receives each connection before it sends. */
    setupClient?(client: Client): void
    /** Requests that each connection sends in turn. */
    requests?: Request[]
  }
  interface Result {
    requests: { total: number }
    /** Milliseconds. */
    latency: { p99: number }
    duration: number
    non2xx: number
    errors: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
