/** An invalid field of a request. */
export interface FieldError {
  /** A parameter, a member (`choices[0].label`), a question ID or a JSON pointer. */
  field: string
  /** The stable code of the error: `required`. Undefined for `survey_error` of version 2. */
  code: string | undefined
  /** Explains the error to a person. */
  message: string
}

/** The body of an error of version 2, of version 3, or of a proxy. */
interface ErrorBody {
  code?: unknown
  detail?: unknown
  errors?: unknown
  description?: unknown
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Reads the invalid fields: objects, or pairs of field and message for `survey_error` of version 2. */
function fieldErrorsOf({ errors, description }: ErrorBody): FieldError[] {
  const objects = listOf(errors).map((error) => error as { field?: unknown; code?: unknown; message?: unknown } | null)
  const pairs = listOf(description).filter(
    (entry): entry is [unknown, unknown] => Array.isArray(entry) && entry.length === 2,
  )
  return [
    ...objects.flatMap((error) => (error?.field === undefined ? [] : [error])),
    ...pairs.map(([field, message]) => ({ field, code: undefined, message })),
  ].map(({ field, code, message }) => ({
    field: String(field),
    code: typeof code === 'string' ? code : undefined,
    message: String(message),
  }))
}

/** An error response of the service. */
export class CanvassError extends Error {
  override readonly name = 'CanvassError'
  /** The HTTP status. */
  readonly status: number
  /** The stable code of the error: `survey_not_found`. `http_error` if the response is not from Canvass. */
  readonly code: string
  /** The invalid fields; empty if the error has none. */
  readonly fieldErrors: FieldError[]
  /** The ID of the request. Include it when you report a problem. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt, if the response has `Retry-After`. */
  readonly retryAfter: number | undefined
  /** The body of the response. */
  readonly body: unknown

  constructor(response: Response, body: unknown) {
    const error: ErrorBody = typeof body === 'object' && body !== null ? body : {}
    const fieldErrors = fieldErrorsOf(error)
    const list = fieldErrors.map(({ field, message }) => `${field}: ${message}`).join('; ')
    const texts = [error.detail, error.description, list, response.statusText]
    const message = response.ok
      ? `the response is not from Canvass: ${response.headers.get('content-type')}`
      : texts.find((text) => typeof text === 'string' && text !== '')
    super(`${response.status} ${message ?? ''}`.trim())
    this.status = response.status
    this.code = typeof error.code === 'string' ? error.code : 'http_error'
    this.fieldErrors = fieldErrors
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsToWait(response)
    this.body = body
  }
}

/** Returns `Retry-After` in seconds; the header has seconds or a date (RFC 9110, 10.2.3). */
export function secondsToWait({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
