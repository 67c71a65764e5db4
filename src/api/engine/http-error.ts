import { describeErrors, type FieldError } from '../../domain/field-error.ts'
import { Problem, type ProblemKind } from '../../domain/problem.ts'

const STATUS: Readonly<Record<ProblemKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  closed: 409,
  expired: 410,
  invalid_answers: 400,
  too_many: 429,
  unavailable: 503,
}

/** Every code of an HTTP error, with its status and its meaning. The API reference shows the meaning. */
export const httpErrorCodes = {
  malformed_request: [400, 'The body cannot be read: it is incomplete, not JSON or not UTF-8.'],
  invalid_request: [400, 'The request does not match the contract. `errors` lists each field.'],
  invalid_token: [401, 'The access token is unknown, expired or revoked.'],
  insufficient_scope: [403, 'The access token lacks a scope, or the API key is for reading only.'],
  cross_site_request: [403, 'A web page of another site sent the request with credentials stored by the browser.'],
  not_found: [404, 'There is no resource at this address.'],
  method_not_allowed: [405, 'The resource does not support the method. `Allow` lists the supported methods.'],
  body_too_large: [413, 'The body is too large or has too many values.'],
  unsupported_media_type: [415, 'The operation does not accept the type of the body.'],
  unsupported_encoding: [415, 'The service does not support the content encoding of the body.'],
  precondition_failed: [412, 'The resource does not have the ETag of `If-Match`: another request has changed it.'],
  request_in_progress: [409, 'The first request with this `Idempotency-Key` is still running. Try again.'],
  idempotency_key_reused: [422, 'The `Idempotency-Key` belongs to a request with another path, query or body.'],
  reply_not_kept: [
    409,
    'The first request with this `Idempotency-Key` took effect, but its reply was too large to keep.',
  ],
  range_not_satisfiable: [
    416,
    'The range begins after the end of the file. `Content-Range` has the length of the file.',
  ],
  server_error: [500, 'An error in the service. Quote the request ID to the operator.'],
  contract_broken: [500, 'The reply would break the contract. Only tests check this.'],
} as const satisfies Record<string, readonly [number, string]>

type HttpErrorCode = keyof typeof httpErrorCodes

/** An error of the HTTP interface, with its status and headers. */
export class HttpError extends Problem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: HttpErrorCode,
    message: string,
    { headers = {}, errors = [] }: { headers?: Readonly<Record<string, string>>; errors?: readonly FieldError[] } = {},
  ) {
    const status = httpErrorCodes[code][0]
    super(status === 404 ? 'not_found' : status >= 500 ? 'unavailable' : 'invalid', code, message, errors)
    this.name = 'HttpError'
    this.status = status
    this.headers = headers
  }
}

/** Returns the HTTP status of a problem. */
export const statusOf = (problem: Problem): number =>
  problem instanceof HttpError ? problem.status : STATUS[problem.kind]

/** Formats a field error. Versions 2 and 3 of the API have the same format. */
export const errorView = ({ field, code, message, params }: FieldError) => ({
  field,
  code,
  message,
  ...(params && { params: { ...params } }),
})

const sizeOf = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${Math.round(bytes / 1024 / 1024)} MB`

/** The errors of the HTTP interface, besides the problems of the domain. */
export const httpErrors = {
  noSuchOperation: () => new HttpError('not_found', 'There is no resource at this address.'),
  /** For a path parameter that cannot be an ID. */
  noSuchResource: () => new HttpError('not_found', 'There is no such resource.'),
  /** The `Allow` header lists the allowed methods (RFC 9110, 15.5.6). */
  methodNotAllowed: (method: string, allowed: readonly string[]) =>
    new HttpError('method_not_allowed', `${method} is not allowed for this resource. Allowed: ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') },
    }),
  malformed: (message: string) => new HttpError('malformed_request', message),
  /** For a request that does not match the contract. */
  invalid: (errors: readonly FieldError[]) => new HttpError('invalid_request', describeErrors(errors), { errors }),
  bodyTooLarge: (limit: number) => new HttpError('body_too_large', `The body is larger than ${sizeOf(limit)}.`),
  /** For a body that is within the size limit but would take too long to process. */
  tooManyValues: (limit: number) =>
    new HttpError('body_too_large', `The body has more than ${limit.toLocaleString('en')} values.`),
  tooManyFields: (limit: number) =>
    new HttpError('body_too_large', `The form has more than ${limit.toLocaleString('en')} fields.`),
  tooManyFiles: (limit: number) => new HttpError('body_too_large', `The form has more than ${limit} files.`),
  unsupportedMediaType: (accepted: readonly string[]) =>
    new HttpError('unsupported_media_type', `Unsupported media type. Accepted: ${accepted.join(', ')}.`, {
      headers: { Accept: accepted.join(', ') },
    }),
  unsupportedEncoding: () =>
    new HttpError('unsupported_encoding', 'Unsupported content encoding. Accepted: identity, gzip, deflate, br.', {
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    }),
  /** The reply contains the length of the file (RFC 9110, 15.5.17). @param length in bytes */
  rangeNotSatisfiable: (length: number) =>
    new HttpError('range_not_satisfiable', `The range begins after the end of the file, which has ${length} bytes.`, {
      headers: { 'Content-Range': `bytes */${length}` },
    }),
  /** The reply has a Bearer challenge and a Basic challenge (RFC 6750, 3.1). */
  invalidToken: () =>
    new HttpError('invalid_token', 'The access token is unknown, expired or revoked.', {
      headers: {
        'WWW-Authenticate':
          'Bearer realm="api", error="invalid_token", error_description="The access token is unknown, expired or revoked", Basic realm="api"',
      },
    }),
  readOnlyKey: () => new HttpError('insufficient_scope', 'This API key is for reading only.'),
  /** The reply names the required scopes (RFC 6750, 3.1). */
  insufficientScope: (scopes: readonly string[]) =>
    new HttpError('insufficient_scope', `The access token lacks the scope ${scopes.join(' ')}.`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` },
    }),
  /** For a request that a page of another site made the browser send. */
  crossSite: () =>
    new HttpError(
      'cross_site_request',
      'A web page of another site sent this request with credentials stored by the browser. Add its origin to ALLOWED_ORIGINS, or send the request from a program.',
    ),
  /** For a failed `If-Match` (RFC 9110, 15.5.13). */
  preconditionFailed: () =>
    new HttpError(
      'precondition_failed',
      'The resource has changed since you read it. Read it again and repeat your change with its new ETag.',
    ),
  /** For an `If-Match` without ETags, which clients send if a proxy removes the ETag of a reply. */
  emptyIfMatch: () =>
    new HttpError(
      'precondition_failed',
      'If-Match is empty. Send the ETag of the GET. If the reply to the GET has none, a proxy that compresses replies has removed it: see docs/proxies.md.',
    ),
  requestInProgress: () =>
    new HttpError(
      'request_in_progress',
      'The first request with this Idempotency-Key is still running. Try again in a few seconds.',
    ),
  idempotencyKeyReused: () =>
    new HttpError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a request with another path, query or body. Use a new key for each request.',
    ),
  replyNotKept: () =>
    new HttpError(
      'reply_not_kept',
      'The first request with this Idempotency-Key took effect, but its reply was too large to keep. Read the result with GET.',
    ),
  serverError: (requestId: string) =>
    new HttpError('server_error', `An internal error occurred. The request ID is ${requestId}.`),
  contractBroken: (violations: readonly string[]) => new HttpError('contract_broken', violations.join('; ')),
}
