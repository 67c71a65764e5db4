/** Credentials: an access token, or any two of username, password and API key. */
export interface Credentials {
  /** Username or email address. */
  username?: string
  password?: string
  apiKey?: string
  /** An OAuth 2.0 access token. */
  token?: string
}

/** Returns an environment variable; undefined in a browser. */
export function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/**
 * Returns the credentials in the options, or else those in the environment. Does not read the environment if the
 * options contain any credential, so that credentials of two accounts are never combined.
 */
function withDefaults(credentials: Credentials): Credentials {
  const { username, password, apiKey, token } = credentials
  if (username || password || apiKey || token) return credentials
  return {
    username: fromEnvironment('CANVASS_USERNAME'),
    password: fromEnvironment('CANVASS_PASSWORD'),
    apiKey: fromEnvironment('CANVASS_API_KEY'),
    token: fromEnvironment('CANVASS_TOKEN'),
  }
}

/**
 * Returns the header `Authorization`. With an access token, the scheme is Bearer (RFC 6750). Otherwise it is Basic (RFC
 * 7617) in UTF-8.
 * @throws TypeError if the credentials are incomplete
 */
export function authorizationOf(credentials: Credentials): string {
  const { username, password, apiKey, token } = withDefaults(credentials)
  if (token) return `Bearer ${token}`
  const name = username ?? apiKey
  const secret = password ?? apiKey
  if (!name || !secret || name === secret)
    throw new TypeError('Credentials must be a token, or two of username, password and apiKey')
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${secret}`)))}`
}
