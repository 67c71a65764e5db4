import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll } from '@jest/globals'

/** A request to the identity provider. */
export interface IdentityRequest {
  path: string
  authorization: string | undefined
  form: Record<string, string>
}

/** Sends the reply of an endpoint. */
export type ReplyHandler = (response: ServerResponse) => void

/**
 * The protocol of an identity provider. `sample` follows the sample code of the original service: it does not return
 * `state`, does not support PKCE, requires HTTP Basic and `access_token` in the form at `callback`, and returns errors
 * with status 200. `bearer` is a provider that was written for an earlier version of Canvass: it returns `state`,
 * supports PKCE, accepts a bearer token, and returns errors with status 400 or 401.
 */
export type IdentityKind = 'sample' | 'bearer'

/** The identity provider of a survey owner: a real server with configurable behaviour. */
export interface IdentityProvider {
  /** The base URL without a trailing slash. */
  endpoint: string
  /** The credentials of Canvass at the identity provider. */
  clientId: string
  clientSecret: string
  /** The registered redirect URIs. */
  redirectUris: string[]
  /** Whether the provider redirects immediately, as for a user who is already signed in. */
  silent: boolean
  /** Whether the provider issues refresh tokens, each valid for one use. */
  refreshes: boolean
  /** The `expires_in` of access tokens, in seconds; undefined omits it. */
  expiresIn: number | undefined
  /** The keys of the survey responses that users of the provider may see; undefined for all keys. */
  responses: string[] | undefined
  /** Returns all requests to an endpoint so far. */
  requests(path: '/authorization' | '/token' | '/callback'): IdentityRequest[]
  /** Sets the reply of an endpoint; undefined restores the normal reply. */
  setReply(path: '/authorization' | '/token' | '/callback', handler: ReplyHandler | undefined): void
  /** Revokes all tokens, as when users sign out. */
  signOut(): void
  /** Expires the access tokens, but not the refresh tokens. */
  expire(): void
}

export const replyHandlers = {
  json:
    (status: number, body: unknown): ReplyHandler =>
    (response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
  text:
    (status: number, body: string, type = 'text/plain'): ReplyHandler =>
    (response) => {
      response.writeHead(status, { 'content-type': type }).end(body)
    },
  /** Accepts the request and never sends a reply. */
  stall: (): void => undefined,
  /** Closes the connection. */
  disconnect: ((response) => response.destroy()) as ReplyHandler,
}

/** Replies to a request with wrong client credentials. */
const unauthorized: ReplyHandler = (response) => {
  response.setHeader('www-authenticate', 'Basic realm="Login Required"')
  replyHandlers.json(401, { error: 'invalid_client' })(response)
}

/** Starts an identity provider, which is reset after each test. Call it at the top of a test file or a `describe`. */
export function useIdentityProvider(kind: IdentityKind = 'sample'): IdentityProvider {
  const sample = kind === 'sample'
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  const overrides = new Map<string, ReplyHandler>()
  const requests: IdentityRequest[] = []
  const randomId = () => randomBytes(8).toString('hex')
  const identity = { clientSecret: 'hush: hush & hush' } as IdentityProvider
  const error = (status: number, code: string) => replyHandlers.json(sample ? 200 : status, { error: code })

  function authorize({ form }: IdentityRequest): ReplyHandler {
    const { redirect_uri: redirectUri = '', state = '', code_challenge: challenge = '' } = form
    const valid = form.response_type === 'code' && form.client_id === identity.clientId
    const hasChallenge = sample || form.code_challenge_method === 'S256'
    if (!valid || !hasChallenge || !identity.redirectUris.includes(redirectUri))
      return replyHandlers.text(400, 'no such client')
    const code = randomId()
    codes.set(code, { challenge, redirectUri })
    const redirect = (query: Record<string, string>) =>
      `${redirectUri}?${new URLSearchParams({ ...query, ...(!sample && { state }) })}`
    if (identity.silent) return (response) => response.writeHead(302, { location: redirect({ code }) }).end()
    const links = [
      ['Let me in', redirect({ code })],
      ['Stay out', redirect({ error: 'access_denied' })],
    ].map(([text, address]) => `<a href="${address!.replaceAll('&', '&amp;')}">${text}</a>`)
    const page = `<!doctype html><html lang="en"><title>Members</title><h1>Members only</h1>${links.join(' ')}`
    return replyHandlers.text(200, page, 'text/html')
  }

  function tokensFor({ form }: IdentityRequest): Record<string, unknown> | undefined {
    const issued = { access: `a-${randomId()}`, refresh: `r-${randomId()}` }
    if (form.grant_type === 'authorization_code') {
      const granted = codes.get(form.code ?? '')
      codes.delete(form.code ?? '')
      const proof = createHash('sha256')
        .update(form.code_verifier ?? '')
        .digest('base64url')
      if (!granted || granted.redirectUri !== form.redirect_uri) return undefined
      if (!sample && granted.challenge !== proof) return undefined
      // The sample code uses the session ID both as access token and as refresh token.
      if (sample) issued.access = issued.refresh
    } else {
      if (form.grant_type !== 'refresh_token' || !refresh.has(form.refresh_token ?? '')) return undefined
      if (sample) issued.refresh = form.refresh_token!
      else refresh.delete(form.refresh_token!)
    }
    access.add(issued.access)
    if (identity.refreshes) refresh.add(issued.refresh)
    return {
      access_token: issued.access,
      ...(identity.refreshes && { refresh_token: issued.refresh }),
      ...(identity.expiresIn !== undefined && { expires_in: identity.expiresIn }),
    }
  }

  function hasClientCredentials({ authorization }: IdentityRequest): boolean {
    const parts = [identity.clientId, identity.clientSecret].map((part) =>
      String(new URLSearchParams({ '': part })).slice(1),
    )
    return authorization === `Basic ${Buffer.from(parts.join(':')).toString('base64')}`
  }

  function token(request: IdentityRequest): ReplyHandler {
    if (!hasClientCredentials(request) || request.form.client_id !== identity.clientId) return unauthorized
    const tokens = tokensFor(request)
    return tokens
      ? replyHandlers.json(200, { token_type: sample ? 'bearer' : 'Bearer', ...tokens })
      : error(400, 'invalid_grant')
  }

  function callback(request: IdentityRequest): ReplyHandler {
    const { authorization = '', form } = request
    if (sample ? !hasClientCredentials(request) : !authorization.startsWith('Bearer ')) return unauthorized
    if (form.method !== 'access_response' || (sample && !form.access_token)) return error(400, 'invalid_request')
    const valid = access.has(sample ? form.access_token! : authorization.slice('Bearer '.length))
    if (!valid) return error(400, 'invalid_grant')
    if (identity.responses?.includes(form.response ?? '') === false) return replyHandlers.text(404, 'not yours')
    return sample ? replyHandlers.json(200, { success: true }) : (response) => response.writeHead(200).end()
  }

  const endpoints: Record<string, (request: IdentityRequest) => ReplyHandler> = {
    '/authorization': authorize,
    '/token': token,
    '/callback': callback,
  }
  const server = createServer(async (request, response) => {
    const received = await read(request)
    requests.push(received)
    const reply =
      overrides.get(received.path) ?? endpoints[received.path]?.(received) ?? replyHandlers.text(404, 'nothing here')
    reply(response)
  })

  const reset = () => {
    for (const collection of [codes, access, refresh, overrides]) collection.clear()
    requests.length = 0
    Object.assign(identity, {
      clientId: 'survey-service',
      redirectUris: [],
      silent: true,
      refreshes: true,
      expiresIn: undefined,
      responses: undefined,
    })
  }
  reset()
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    identity.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/members`
  })
  afterEach(reset)
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  identity.requests = (path) => requests.filter((request) => request.path === path)
  identity.setReply = (path, handler) => {
    if (handler) overrides.set(path, handler)
    else overrides.delete(path)
  }
  identity.signOut = () => {
    access.clear()
    refresh.clear()
  }
  identity.expire = () => access.clear()
  return identity
}

async function read(request: IncomingMessage): Promise<IdentityRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const url = new URL(request.url!, 'http://identity')
  const form = request.method === 'POST' ? new URLSearchParams(Buffer.concat(chunks).toString()) : url.searchParams
  return {
    path: url.pathname.replace(/^\/members/, ''),
    authorization: request.headers.authorization,
    form: Object.fromEntries(form),
  }
}
