import type { Reply } from './client.ts'
import { type HttpBrowser, signInAs } from './http-browser.ts'
import type { Person, World } from './world.ts'

/** A registered application with its credentials. */
export interface RegisteredApp {
  id: string
  clientId: string
  /** Empty for a public application. */
  secret: string
  callback: string
}

export const CALLBACK = 'https://app.example/callback'

/** Registers an application through the form on the page for developers. */
export async function registerApp(
  world: World,
  {
    owner,
    callback = CALLBACK,
    name = 'Tea Counter',
    kind = 'confidential',
  }: { owner?: Person; callback?: string; name?: string; kind?: string } = {},
): Promise<RegisteredApp> {
  const browser = await signInAs(owner ?? (await world.person()))
  const { text } = await browser.post('/accounts/developer/', {
    name,
    homepage: 'https://app.example/',
    callback,
    description: '',
    kind,
  })
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  return {
    id: found(/action="[^"]*\/accounts\/developer\/(\d+)\/"/),
    clientId: found(/id="client-id">(\w+)</),
    secret: found(/id="client-secret">(\w+)</),
    callback,
  }
}

/** Returns the path of the authorization page. */
export const authorizePath = (query: Record<string, string>) =>
  `/accounts/developer/authorize/?${new URLSearchParams(query)}`

/** Returns an authorization request without optional parameters, as clients of the original service send it. */
export const minimalQuery = ({ clientId, callback }: RegisteredApp) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: callback,
})

/** Allows access on the authorization page. @returns the URL of the redirect */
export async function authorizeApp(
  browser: HttpBrowser,
  query: Record<string, string>,
  scope: string[] = (query.scope ?? 'read write').split(' '),
): Promise<URL> {
  const path = authorizePath(query)
  await browser.get(path)
  const { to } = await browser.post(path, [
    ['decision', 'allow'],
    ...scope.map((name): [string, string] => ['scope', name]),
  ])
  return new URL(to!)
}

/** Returns an authorization code for an account. The request has no optional parameters except `more`. */
export async function codeFor(app: RegisteredApp, person: Person, more: Record<string, string> = {}): Promise<string> {
  const redirect = await authorizeApp(await signInAs(person), { ...minimalQuery(app), ...more })
  return redirect.searchParams.get('code')!
}

/** Posts to the token endpoint as clients of the original service do: with client ID and secret in the form. */
export const requestToken = (world: World, app: RegisteredApp, form: Record<string, string>): Promise<Reply> =>
  world.anonymous.post('/accounts/oauth/token/', {
    form: { client_id: app.clientId, client_secret: app.secret, ...form },
  })

/** Exchanges an authorization code for tokens. */
export const exchangeCode = (world: World, app: RegisteredApp, code: string, more: Record<string, string> = {}) =>
  requestToken(world, app, { grant_type: 'authorization_code', code, redirect_uri: app.callback, ...more })

export const refresh = (world: World, app: RegisteredApp, token: string, more: Record<string, string> = {}) =>
  requestToken(world, app, { grant_type: 'refresh_token', refresh_token: token, ...more })

/** Runs the whole authorization flow. @returns the token response */
export async function tokensFor(world: World, app: RegisteredApp, person: Person, scope = 'read write') {
  const { body } = await exchangeCode(world, app, await codeFor(app, person, { scope }))
  return body as { access_token: string; refresh_token: string; scope: string; expires_in: number }
}

/** Returns the status of an API request with a token. */
export const statusWithToken = async (world: World, token: string, path = '/api/v3/surveys/') =>
  (await world.anonymous.get(path, { headers: { authorization: `Bearer ${token}` } })).status
