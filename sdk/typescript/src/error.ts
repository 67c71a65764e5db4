import type { ErrorCode } from './error-codes.gen.js'
import { type RateLimit, rateLimitOf } from './rate-limit.js'

declare enum Other {
  code = 'other',
}

/**
 * An error code that this version of the package does not know. To test for such a code, compare it as text:
 * `String(error.code) === 'new_code'`.
 */
export type OtherCode = Other

/** An invalid field of a request. */
export interface FieldError {
  /** The invalid field: the name of a parameter, a member (`choices[0].label`), a question ID or a JSON pointer. */
  field: string
  /** The stable code of the error, such as `required`. Undefined for `survey_error` of version 2 of the API. */
  code: string | undefined
  /** Explains the error to a person. */
  message: string
}

/** The body of an error response. It comes from version 2 or 3 of the API, or from a proxy. */
interface ErrorBody {
  code?: unknown
  detail?: unknown
  errors?: unknown
  description?: unknown
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * Reads the invalid fields from an error. They are objects, or pairs of field and message for `survey_error` of version
 * 2.
 */
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

/** What is known about a failed call. */
export interface Failure {
  message: string
  response?: Response
  body?: unknown
  cause?: unknown
  retries: number
  maybeApplied: boolean
}

/** The base class of all errors of this package. The service returned an error, or there was no response. */
export class CanvassError extends Error {
  override readonly name: string = 'CanvassError'
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /**
   * The stable code of the error, such as `survey_not_found`. If the response is not from Canvass, the code is
   * `http_error`.
   */
  readonly code: ErrorCode | OtherCode
  /** The invalid fields; empty if the error has none. */
  readonly fieldErrors: FieldError[]
  /** The headers of the response; undefined if there was no response. */
  readonly headers: Headers | undefined
  /** The ID of the request. Include it when you report a problem. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt, if the response has `Retry-After`. */
  readonly retryAfter: number | undefined
  /** The state of the rate limit, if the response contains it. */
  readonly rateLimit: RateLimit | undefined
  /** The body of the response. */
  readonly body: unknown
  /** The number of retries before this error. */
  readonly retries: number
  /**
   * Whether the service may have executed the request although the call failed. This is possible if an attempt was sent
   * and its response did not arrive. If that attempt succeeded, a repeated DELETE gets 404, and a repeated PUT with
   * `If-Match` gets 412.
   */
  readonly maybeApplied: boolean

  constructor({ message, response, body, cause, retries, maybeApplied }: Failure, code: ErrorCode = 'http_error') {
    super(message, cause === undefined ? undefined : { cause })
    const error = membersOf(body)
    this.status = response?.status
    this.code = typeof error.code === 'string' ? (error.code as ErrorCode) : code
    this.fieldErrors = fieldErrorsOf(error)
    this.headers = response?.headers
    this.requestId = response?.headers.get('x-request-id') ?? undefined
    this.retryAfter = response && secondsToWait(response)
    this.rateLimit = response && rateLimitOf(response.headers)
    this.body = body
    this.retries = retries
    this.maybeApplied = maybeApplied
  }
}

/**
 * 400: a parameter, the body or an answer is not valid. Version 2 of the API reports invalid answers as `survey_error`
 * with status 500; such a response throws this error too.
 */
export class BadRequestError extends CanvassError {
  override readonly name = 'BadRequestError'
}
/** 401: the credentials are missing, wrong or expired. */
export class AuthenticationError extends CanvassError {
  override readonly name = 'AuthenticationError'
}
/** 403: your role or your token does not allow the operation. */
export class PermissionDeniedError extends CanvassError {
  override readonly name = 'PermissionDeniedError'
}
/** 404: the object does not exist, or you cannot see it. */
export class NotFoundError extends CanvassError {
  override readonly name = 'NotFoundError'
}
/** 409: the request conflicts with the state of the object. */
export class ConflictError extends CanvassError {
  override readonly name = 'ConflictError'
}
/** 410: the cursor of the change feed is no longer valid. */
export class GoneError extends CanvassError {
  override readonly name = 'GoneError'
}
/** 412: another request has changed the object, so its ETag is no longer the one in `If-Match`. */
export class PreconditionFailedError extends CanvassError {
  override readonly name = 'PreconditionFailedError'
}
/** 422: the idempotency key was already used for another request. */
export class UnprocessableEntityError extends CanvassError {
  override readonly name = 'UnprocessableEntityError'
}
/** 429: your account or IP address has reached a limit. */
export class RateLimitError extends CanvassError {
  override readonly name = 'RateLimitError'
}
/** 5xx: an error occurred in the service, or the service is unavailable. */
export class InternalServerError extends CanvassError {
  override readonly name = 'InternalServerError'
}
/** The response did not arrive, because the connection failed. `cause` is the error that `fetch` threw. */
export class APIConnectionError extends CanvassError {
  override readonly name: string = 'APIConnectionError'
}
/** The response did not arrive in time. */
export class APITimeoutError extends APIConnectionError {
  override readonly name = 'APITimeoutError'
}

const CLASSES: Readonly<Record<number, typeof CanvassError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  422: UnprocessableEntityError,
  429: RateLimitError,
}

const membersOf = (body: unknown): ErrorBody => (typeof body === 'object' && body !== null ? body : {})

/**
 * Returns whether an error response reports invalid answers in version 2 of the API. Version 2 reports them with status
 * 500.
 */
export const isSurveyError = (body: unknown): boolean => membersOf(body).code === 'survey_error'

/** Returns the error for a response. The status and the code of the response determine the class of the error. */
export function errorOf(failure: Omit<Failure, 'message'> & { response: Response }): CanvassError {
  const { response, body } = failure
  const { status } = response
  const error = membersOf(body)
  const list = fieldErrorsOf(error)
    .map(({ field, message }) => `${field}: ${message}`)
    .join('; ')
  const texts = [error.detail, error.description, list, response.statusText]
  const text = response.ok
    ? `the response is not from Canvass: ${response.headers.get('content-type')}`
    : texts.find((it) => typeof it === 'string' && it !== '')
  const ErrorClass = isSurveyError(body)
    ? BadRequestError
    : (CLASSES[status] ?? (status >= 500 ? InternalServerError : CanvassError))
  return new ErrorClass({ ...failure, message: `${status} ${text ?? ''}`.trim() })
}

/** Returns the value of `Retry-After` in seconds. The header contains seconds or a date (RFC 9110, 10.2.3). */
export function secondsToWait({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
