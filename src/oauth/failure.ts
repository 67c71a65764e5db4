/** An error that the client caused (RFC 6749, 4.1.2.1 and 5.2). */
export class OAuthError extends Error {
  /** The code of the error. */
  override readonly name: string

  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

/** The errors that this service raises. */
export const failures = {
  invalidRequest: (message: string) => new OAuthError('invalid_request', message),
  invalidClient: (message = 'The client ID or the client secret is missing or wrong') =>
    new OAuthError('invalid_client', message),
  invalidGrant: (message: string) => new OAuthError('invalid_grant', message),
  unsupportedGrantType: () =>
    new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token'),
  unsupportedResponseType: () =>
    new OAuthError('unsupported_response_type', 'Unsupported response type: `response_type` is not supported'),
  invalidScope: (hint = '') =>
    new OAuthError('invalid_scope', `The scopes are read and write; a request cannot exceed the granted scopes${hint}`),
}

/**
 * Requires printable ASCII (`VSCHAR` in RFC 6749, appendix A).
 * @throws {OAuthError} `invalid_request`
 */
export function assertPrintable(name: string, value: string): void {
  if (!/^[\x20-\x7e]+$/.test(value)) throw failures.invalidRequest(`Invalid parameter: \`${name}\``)
}

/** Returns a message in printable ASCII without quotes and backslashes (RFC 6749, 5.2). */
export const describe = (message: string): string => message.replace(/["`\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
