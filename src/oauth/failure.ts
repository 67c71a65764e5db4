import OAuth2Server from '@node-oauth/oauth2-server'

const {
  InvalidClientError,
  InvalidGrantError,
  InvalidRequestError,
  InvalidScopeError,
  OAuthError,
  UnsupportedGrantTypeError,
} = OAuth2Server

/** The errors of RFC 6749 (5.2) that this service raises. The library raises more itself. */
export const failures = {
  invalidRequest: (message: string) => new InvalidRequestError(message),
  invalidClient: () => new InvalidClientError('The client ID or the client secret is missing or wrong'),
  invalidGrant: (message: string) => new InvalidGrantError(message),
  unsupportedGrantType: () => new UnsupportedGrantTypeError('grant_type must be authorization_code or refresh_token'),
  invalidScope: (hint = '') =>
    new InvalidScopeError(`The scopes are read and write; a request cannot exceed the granted scopes${hint}`),
}

/** An error that the client caused; `name` is its code. */
export type Failure = InstanceType<typeof OAuthError>

/** Returns whether the client caused an error. The library wraps all other errors in server errors. */
export const isFailure = (error: unknown): error is Failure => error instanceof OAuthError && error.code < 500

/** Returns the error that the library wrapped. */
export const unwrapError = (error: unknown): unknown =>
  error instanceof OAuthError && 'inner' in error ? unwrapError(error.inner) : error

/** Returns a message in printable ASCII without quotes and backslashes (RFC 6749, 5.2). */
export const describe = (message: string): string => message.replace(/["`\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
