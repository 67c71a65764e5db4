/** One place that is wrong, and why. */
export interface Place {
  /** A parameter, a member (`choices[0].label`), a question id or a JSON pointer. */
  place: string
  message: string
}

/** What a refusal may say, in the shape of version 2 or of version 3, or of whatever stands in between. */
interface Refusal {
  code?: unknown
  detail?: unknown
  errors?: unknown
  description?: unknown
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The places that version 3 or version 2 names. */
function placesOf({ errors, description }: Refusal): Place[] {
  const named = listed(errors).map((one) => one as { field?: unknown; message?: unknown } | null)
  const pairs = listed(description).filter((one): one is [unknown, unknown] => Array.isArray(one) && one.length === 2)
  return [
    ...named.flatMap((one) => (one?.field === undefined ? [] : [[one.field, one.message] as const])),
    ...pairs,
  ].map(([place, message]) => ({ place: String(place), message: String(message) }))
}

/** A request that the service refused. */
export class CanvassError extends Error {
  override readonly name = 'CanvassError'
  /** The HTTP status. */
  readonly status: number
  /** What is wrong, for a program: `survey_not_found`. It never changes. `http_error` when the answer was not Canvass's. */
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
    const refusal: Refusal = typeof body === 'object' && body !== null ? body : {}
    const places = placesOf(refusal)
    const whole = places.map(({ place, message }) => `${place}: ${message}`).join('; ')
    const given = [refusal.detail, refusal.description, whole, response.statusText]
    const words = response.ok
      ? `this is no answer of Canvass, but ${response.headers.get('content-type')}`
      : given.find((one) => typeof one === 'string' && one !== '')
    super(`${response.status} ${words ?? ''}`.trim())
    this.status = response.status
    this.code = typeof refusal.code === 'string' ? refusal.code : 'http_error'
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
