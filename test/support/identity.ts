import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll } from '@jest/globals'

/** A request that an identity system was sent. */
export interface Asked {
  path: string
  authorization: string | undefined
  form: Record<string, string>
}

/** How one of its endpoints answers. */
export type Manner = (response: ServerResponse) => void

/**
 * How an identity system was written. `sample`: after the original vendor's sample, which sends no `state` back, knows no
 * PKCE, wants HTTP Basic and `access_token` in the form at `callback`, and answers errors with status 200. `bearer`: for
 * earlier versions of Canvass, with `state`, PKCE, the access token as Bearer, and errors with status 400 or 401.
 */
export type Kind = 'sample' | 'bearer'

/** An identity system of a survey's owner: a real server, with switches. */
export interface Identity {
  /** Without a slash at its end. */
  endpoint: string
  /** Whom it knows, and what is theirs. */
  clientId: string
  clientSecret: string
  /** Where it sends people back to. */
  redirectUris: string[]
  /** Whether it signs people in without a page of its own, as one does where they are signed in already. */
  silent: boolean
  /** Whether it hands out refresh tokens, each good for one use. */
  refreshes: boolean
  /** Seconds that an access token is said to last; undefined: it does not say. */
  expiresIn: number | undefined
  /** The keys of the responses that its users may see; undefined: all. */
  responses: string[] | undefined
  /** All that was asked of an endpoint so far. */
  asked(path: '/authorization' | '/token' | '/callback'): Asked[]
  /** From now on an endpoint answers so; undefined: properly again. */
  answer(path: '/authorization' | '/token' | '/callback', manner: Manner | undefined): void
  /** As if the user signed out there: their tokens are worth nothing. */
  signOut(): void
  /** The access tokens are worth nothing, the refresh tokens are. */
  expire(): void
}

export const manners = {
  json:
    (status: number, body: unknown): Manner =>
    (response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    },
  text:
    (status: number, body: string, type = 'text/plain'): Manner =>
    (response) => {
      response.writeHead(status, { 'content-type': type }).end(body)
    },
  /** Takes the request, and says nothing. */
  stall: (): void => undefined,
  /** Breaks the connection off. */
  dead: ((response) => response.destroy()) as Manner,
}

/** The answer to whoever does not say who they are. */
const strangers: Manner = (response) => {
  response.setHeader('www-authenticate', 'Basic realm="Login Required"')
  manners.json(401, { error: 'invalid_client' })(response)
}

/** Call at the top of a test file or a `describe`; the identity system listens during its tests, each of which finds it as new. */
export function useIdentity(kind: Kind = 'sample'): Identity {
  const sample = kind === 'sample'
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  const manner = new Map<string, Manner>()
  const asked: Asked[] = []
  const fresh = () => randomBytes(8).toString('hex')
  const identity = { clientSecret: 'hush: hush & hush' } as Identity
  const error = (status: number, code: string) => manners.json(sample ? 200 : status, { error: code })

  function authorize({ form }: Asked): Manner {
    const { redirect_uri: redirectUri = '', state = '', code_challenge: challenge = '' } = form
    const right = form.response_type === 'code' && form.client_id === identity.clientId
    const proven = sample || form.code_challenge_method === 'S256'
    if (!right || !proven || !identity.redirectUris.includes(redirectUri)) return manners.text(400, 'no such client')
    const code = fresh()
    codes.set(code, { challenge, redirectUri })
    const back = (query: Record<string, string>) =>
      `${redirectUri}?${new URLSearchParams({ ...query, ...(!sample && { state }) })}`
    if (identity.silent) return (response) => response.writeHead(302, { location: back({ code }) }).end()
    const links = [
      ['Let me in', back({ code })],
      ['Stay out', back({ error: 'access_denied' })],
    ].map(([text, address]) => `<a href="${address!.replaceAll('&', '&amp;')}">${text}</a>`)
    const page = `<!doctype html><html lang="en"><title>Members</title><h1>Members only</h1>${links.join(' ')}`
    return manners.text(200, page, 'text/html')
  }

  function tokensFor({ form }: Asked): Record<string, unknown> | undefined {
    const given = { access: `a-${fresh()}`, refresh: `r-${fresh()}` }
    if (form.grant_type === 'authorization_code') {
      const granted = codes.get(form.code ?? '')
      codes.delete(form.code ?? '')
      const proof = createHash('sha256')
        .update(form.code_verifier ?? '')
        .digest('base64url')
      if (!granted || granted.redirectUri !== form.redirect_uri) return undefined
      if (!sample && granted.challenge !== proof) return undefined
      // The sample hands out one identifier of the session as both.
      if (sample) given.access = given.refresh
    } else {
      if (form.grant_type !== 'refresh_token' || !refresh.has(form.refresh_token ?? '')) return undefined
      if (sample) given.refresh = form.refresh_token!
      else refresh.delete(form.refresh_token!)
    }
    access.add(given.access)
    if (identity.refreshes) refresh.add(given.refresh)
    return {
      access_token: given.access,
      ...(identity.refreshes && { refresh_token: given.refresh }),
      ...(identity.expiresIn !== undefined && { expires_in: identity.expiresIn }),
    }
  }

  function knownClient({ authorization }: Asked): boolean {
    const parts = [identity.clientId, identity.clientSecret].map((part) =>
      String(new URLSearchParams({ '': part })).slice(1),
    )
    return authorization === `Basic ${Buffer.from(parts.join(':')).toString('base64')}`
  }

  function token(asked: Asked): Manner {
    if (!knownClient(asked) || asked.form.client_id !== identity.clientId) return strangers
    const tokens = tokensFor(asked)
    return tokens
      ? manners.json(200, { token_type: sample ? 'bearer' : 'Bearer', ...tokens })
      : error(400, 'invalid_grant')
  }

  function callback(asked: Asked): Manner {
    const { authorization = '', form } = asked
    if (sample ? !knownClient(asked) : !authorization.startsWith('Bearer ')) return strangers
    if (form.method !== 'access_response' || (sample && !form.access_token)) return error(400, 'invalid_request')
    const known = access.has(sample ? form.access_token! : authorization.slice('Bearer '.length))
    if (!known) return error(400, 'invalid_grant')
    if (identity.responses?.includes(form.response ?? '') === false) return manners.text(404, 'not yours')
    return sample ? manners.json(200, { success: true }) : (response) => response.writeHead(200).end()
  }

  const proper: Record<string, (asked: Asked) => Manner> = {
    '/authorization': authorize,
    '/token': token,
    '/callback': callback,
  }
  const server = createServer(async (request, response) => {
    const one = await read(request)
    asked.push(one)
    const answer = manner.get(one.path) ?? proper[one.path]?.(one) ?? manners.text(404, 'nothing here')
    answer(response)
  })

  const forget = () => {
    for (const kept of [codes, access, refresh, manner]) kept.clear()
    asked.length = 0
    Object.assign(identity, {
      clientId: 'survey-service',
      redirectUris: [],
      silent: true,
      refreshes: true,
      expiresIn: undefined,
      responses: undefined,
    })
  }
  forget()
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    identity.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/members`
  })
  afterEach(forget)
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  identity.asked = (path) => asked.filter((one) => one.path === path)
  identity.answer = (path, how) => {
    if (how) manner.set(path, how)
    else manner.delete(path)
  }
  identity.signOut = () => {
    access.clear()
    refresh.clear()
  }
  identity.expire = () => access.clear()
  return identity
}

async function read(request: IncomingMessage): Promise<Asked> {
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
