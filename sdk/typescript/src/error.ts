/** One place that is wrong, and why. */
export interface Place {
  /** A parameter, a member (`choices[0].label`), a question id or a JSON pointer. */
  place: string
  message: string
}

/** What a refusal says, in the shape of version 2 or of version 3. */
interface Refusal {
  code?: unknown
  detail?: unknown
  errors?: { field: string; message: string }[]
  description?: string | [string, string][]
}

/** A request that the service refused. */
export class CanvassError extends Error {
  override readonly name = 'CanvassError'
  /** The HTTP status. */
  readonly status: number
  /** What is wrong, for a program: `survey_not_found`. It never changes. `http_error` when the answer was not ours. */
  readonly code: string
  /** Every place that is wrong, where the refusal names places. */
  readonly places: Place[]
  /** Quote it when you report a fault. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next try, where the service says so. */
  readonly retryAfter: number | undefined
  /** The body of the answer, as it came. */
  readonly body: unknown

  constructor(response: Response, body: unknown) {
    const { code, detail, errors, description }: Refusal = typeof body === 'object' && body !== null ? body : {}
    const places = [
      ...(errors ?? []).map(({ field, message }) => ({ place: field, message })),
      ...(Array.isArray(description) ? description : []).map(([place, message]) => ({ place, message })),
    ]
    const words =
      (typeof detail === 'string' && detail) ||
      (typeof description === 'string' && description) ||
      places.map(({ place, message }) => `${place}: ${message}`).join('; ') ||
      response.statusText
    super(`${response.status} ${words}`.trim())
    this.status = response.status
    this.code = typeof code === 'string' ? code : 'http_error'
    this.places = places
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsToWait(response)
    this.body = body
  }
}

/** `Retry-After` in seconds, given as such or as a date (RFC 9110, 10.2.3). */
export function secondsToWait({ headers }: Response): number | undefined {
  const given = headers.get('retry-after')
  if (given === null) return undefined
  const seconds = /^\d+$/.test(given.trim()) ? Number(given) : (Date.parse(given) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
