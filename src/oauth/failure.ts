import OAuth2Server from '@node-oauth/oauth2-server'

const {
  InvalidClientError,
  InvalidGrantError,
  InvalidRequestError,
  InvalidScopeError,
  OAuthError,
  UnsupportedGrantTypeError,
} = OAuth2Server

/** The errors of RFC 6749 (5.2) that we raise beside the library's own. */
export const failures = {
  invalidRequest: (message: string) => new InvalidRequestError(message),
  invalidClient: () => new InvalidClientError('The client id or the client secret is missing or wrong'),
  invalidGrant: (message: string) => new InvalidGrantError(message),
  unsupportedGrantType: () => new UnsupportedGrantTypeError('grant_type must be authorization_code or refresh_token'),
  invalidScope: () => new InvalidScopeError('Only read and write can be asked for, and no more than was granted'),
}

/** An error to be told to the client; `name` is its code. */
export type Failure = InstanceType<typeof OAuthError>

/** Whether an error says something about the request; the library wraps everything else, and that is ours to mend. */
export const isFailure = (error: unknown): error is Failure => error instanceof OAuthError && error.code < 500

/** What an error was before the library wrapped it. */
export const unwrapped = (error: unknown): unknown =>
  error instanceof OAuthError && 'inner' in error ? unwrapped(error.inner) : error

/** RFC 6749, 5.2: printable ASCII without quotes and backslashes. */
export const describe = (message: string): string => message.replace(/["`\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
