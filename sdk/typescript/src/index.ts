export { Canvass, type CanvassOptions } from './canvass.js'
export { csvRecords, csvRows } from './csv.js'
export {
  APIConnectionError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  CanvassError,
  ConflictError,
  type FieldError,
  GoneError,
  InternalServerError,
  NotFoundError,
  type OtherCode,
  PermissionDeniedError,
  PreconditionFailedError,
  RateLimitError,
  UnprocessableEntityError,
} from './error.js'
export type { ErrorCode } from './error-codes.gen.js'
export type { CallOptions, PostOptions } from './options.js'
export { type OtherKind, otherKind } from './other-kind.js'
export type { ChangeFeed } from './pages.js'
export type { APIPromise, APIResponse } from './promise.js'
export type { RateLimit } from './rate-limit.js'
export type { V2 } from './v2.js'
export type { FilterCondition as Condition } from './v3/types.gen.js'
export type { V3 } from './v3.js'
export * as webhooks from './webhooks.js'
export { type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './webhooks.js'
