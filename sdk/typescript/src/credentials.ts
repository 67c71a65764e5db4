/** Who is calling: an access token, or two of the other three. */
export interface Credentials {
  /** User name or e-mail address. */
  username?: string
  password?: string
  apiKey?: string
  /** An OAuth 2.0 access token. */
  token?: string
}

/** A variable of the environment, where there is one: not in a browser. */
export function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/** The environment is asked only when nothing is given, so that one account's secrets are not mixed with another's. */
function given(credentials: Credentials): Credentials {
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
 * The header `Authorization`: Bearer (RFC 6750) with a token, otherwise Basic (RFC 7617) in UTF-8.
 * @throws TypeError when the credentials are not complete
 */
export function authorizationOf(credentials: Credentials): string {
  const { username, password, apiKey, token } = given(credentials)
  if (token) return `Bearer ${token}`
  const name = username ?? apiKey
  const secret = password ?? apiKey
  if (!name || !secret || name === secret)
    throw new TypeError('Credentials are a token, or two of username, password and apiKey')
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${secret}`)))}`
}
