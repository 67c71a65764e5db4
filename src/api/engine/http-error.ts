import { type FieldError, type Kind, Problem } from '../../domain/problem.ts'

const STATUS: Readonly<Record<Kind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  closed: 409,
  expired: 410,
  answers: 400,
  too_many: 429,
  unavailable: 503,
}

/** A "no" that only HTTP can say: the domain was never asked. It brings its own status and headers. */
export class HttpError extends Problem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    {
      headers = {},
      faults: errors = [],
    }: { headers?: Readonly<Record<string, string>>; faults?: readonly FieldError[] } = {},
  ) {
    super(status === 404 ? 'missing' : status >= 500 ? 'unavailable' : 'invalid', code, message, errors)
    this.name = 'Refusal'
    this.status = status
    this.headers = headers
  }
}

/** The status of a problem where a version has no other for it. */
export const statusOf = (problem: Problem): number =>
  problem instanceof HttpError ? problem.status : STATUS[problem.kind]

/**
 * What a 400 is given for: the `shape` of a request, which the contract describes, or its `sense`, which only the service
 * can judge. A client that holds its requests against the contract never meets the first.
 */
export const refusedFor = (problem: Problem): { refused_for?: 'shape' | 'sense' } => {
  if (statusOf(problem) !== 400) return {}
  return { refused_for: problem instanceof HttpError ? 'shape' : 'sense' }
}

const sizeOf = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${Math.round(bytes / 1024 / 1024)} MB`

/** The refusals of the interface itself, beside the domain's catalogue. */
export const refusals = {
  noSuchOperation: () => new HttpError(404, 'not_found', 'There is nothing at this address.'),
  /** A path parameter that cannot name anything, such as an id that is no number. */
  noSuchThing: () => new HttpError(404, 'not_found', 'There is no such thing.'),
  /** RFC 9110, 15.5.6: the answer lists what would be allowed. */
  methodNotAllowed: (method: string, allowed: readonly string[]) =>
    new HttpError(405, 'method_not_allowed', `${method} is not possible here; ${allowed.join(', ')} would be.`, {
      headers: { Allow: allowed.join(', ') },
    }),
  malformed: (message: string) => new HttpError(400, 'malformed_request', message),
  /** A fault with its place; the code is that of every other invalid input. */
  invalid: (errors: readonly FieldError[]) =>
    new HttpError(400, 'invalid_request', errors.map(({ field, message }) => `${field}: ${message}`).join('; '), {
      faults: errors,
    }),
  bodyTooLarge: (limit: number) => new HttpError(413, 'body_too_large', `The body is larger than ${sizeOf(limit)}.`),
  /** A body that is small enough and still more work than one request may make. */
  tooManyValues: (limit: number) =>
    new HttpError(413, 'body_too_large', `The body holds more than ${limit.toLocaleString('en')} values.`),
  tooManyFields: (limit: number) =>
    new HttpError(413, 'body_too_large', `The form has more than ${limit.toLocaleString('en')} fields.`),
  unsupportedMediaType: (accepted: readonly string[]) =>
    new HttpError(415, 'unsupported_media_type', `Send ${accepted.join(', ')}.`, {
      headers: { Accept: accepted.join(', ') },
    }),
  unsupportedEncoding: () =>
    new HttpError(415, 'unsupported_encoding', 'Send the body as it is, or encoded with gzip, deflate or br.', {
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    }),
  /** RFC 6750, 3.1; whoever has a password instead learns of that as well. */
  invalidToken: () =>
    new HttpError(401, 'invalid_token', 'The access token is unknown, expired or revoked.', {
      headers: {
        'WWW-Authenticate':
          'Bearer realm="api", error="invalid_token", error_description="The access token is unknown, expired or revoked", Basic realm="api"',
      },
    }),
  /** RFC 6750, 3.1: names what would be enough. */
  insufficientScope: (scopes: readonly string[]) =>
    new HttpError(
      403,
      'insufficient_scope',
      `The access token does not allow this; it takes the scope ${scopes.join(' ')}.`,
      {
        headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` },
      },
    ),
  /** A browser says that a page of another site had it send the request. */
  crossSite: () =>
    new HttpError(
      403,
      'cross_site_request',
      'A web page of another site sent this request with credentials that the browser keeps. Allow its origin with ALLOWED_ORIGINS, or send the request from a program.',
    ),
  serverError: (requestId: string) =>
    new HttpError(500, 'server_error', `Something went wrong on our side. The request id is ${requestId}.`),
  contractBroken: (breaches: readonly string[]) => new HttpError(500, 'contract_broken', breaches.join('; ')),
}
